// Conventions: rules that map the entries of a table of runs to models, machines, strategies and software, so that a
// row can be predicted. They are data: a new kind of run is a line. Dodona's own (oracle/validate/conventions.yaml)
// hold for any table; a file beside a table may add lines, which come first.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "cluster/cluster.hpp"
#include "files/document.hpp"
#include "files/row_condition.hpp"
#include "files/run_table.hpp"
#include "plan/strategy.hpp"

namespace dodona::files {

using RunCondition = RowCondition;

/// The strategy and the mesh of the rows that match.
struct RunStrategy {
    RunCondition when;
    std::string strategy;  ///< built in
    struct Axis {
        std::string name;
        std::string column;  ///< that has its size
    };
    std::vector<Axis> mesh;  ///< innermost first
    std::optional<std::string> algorithm;
    std::optional<cluster::ParameterServers::Place> servers;  ///< of the algorithm parameter-server
    std::string refusal;                                      ///< not empty: why such rows cannot be predicted
    Location where;
};

/// A word for the rows that match: an optimizer, a precision, a part of a step that a time leaves out.
struct ConventionLine {
    RunCondition when;
    std::string word;
    Location where;
};

/// Parameters of the model for the rows that match; "{tensor}" in a value is the row's cell of that column.
struct RunSettings {
    RunCondition when;
    std::vector<std::pair<std::string, std::string>> set;
    Location where;
};

/// What a row's word for recomputation means: layers by name, as plan files name them.
struct RunRecompute {
    RunCondition when;
    std::vector<plan::Match> layers;
    Location where;
};

/// A word of software for a part of the network that runs again in backward: the layers of it, by name. Networks name
/// theirs alike; a layer that one does not have is passed over.
struct RecomputeWord {
    std::string word;
    std::vector<plan::Match> layers;
};

/// Of a list, the first line that matches a row counts, unless it says that all do.
struct RunConventions {
    struct Input {
        std::string word;                     ///< of the column `input`: "seq"
        std::vector<std::string> parameters;  ///< the first that a model has takes the last extent
    };
    std::vector<Input> inputs;
    std::vector<ConventionLine> models;    ///< another name; none: the row's
    std::vector<ConventionLine> machines;  ///< as the software of the run found them; none: the row's
    std::vector<RunStrategy> strategies;
    std::vector<ConventionLine> optimizers;
    std::vector<ConventionLine> frameworks;          ///< names or paths; none: the neutral one
    std::vector<ConventionLine> mechanisms;          ///< all count: of the framework
    std::vector<ConventionLine> precision;           ///< none: the row's
    std::vector<ConventionLine> gradient_precision;  ///< none: the default
    std::vector<ConventionLine> frozen_weights;      ///< how frozen matrices of blocks are kept; none: as in the model
    std::vector<ConventionLine> shard;               ///< how states are sharded; none: the row's word
    std::vector<ConventionLine> cuts;       ///< "weights": stages are cut by them; none: into equal numbers of blocks
    std::vector<ConventionLine> overlap;    ///< all count: what overlaps compute beside what the row's columns say
    std::vector<ConventionLine> offload;    ///< all count: what is kept in host memory
    std::vector<ConventionLine> not_timed;  ///< all count: parts of a step that the measured time leaves out
    std::vector<ConventionLine> memory_units;  ///< "GiB": what a row has as 10^9 bytes is 2^30; none: bytes
    std::vector<ConventionLine> memory_ranks;  ///< "first" or "last": whose memory rows have; none: who has most
    std::vector<ConventionLine> lengths;       ///< "vary": samples are padded to the longest of a micro-batch
    std::vector<ConventionLine> memory;        ///< memory profiles, names or paths; none: the neutral one
    std::vector<RunRecompute> recompute;       ///< none: the row's word is that of a plan, or a list of these:
    std::vector<RecomputeWord> recompute_words;
    std::vector<RunSettings> settings;  ///< all count
};

RunConventions read_run_conventions(Document document);

/// Conventions of the user's own. A framework or memory profile that they name is a file in frameworks/ or memory/
/// beside them, where there is one of that name; a path is relative to them.
RunConventions load_run_conventions(const std::string& path, const Location& where);

/// The lines of `first` before those of `then`.
RunConventions combined(RunConventions first, const RunConventions& then);

/// The text with each "{column}" replaced by the row's cell.
std::string filled(const std::string& text, const MeasuredRun& run);

}  // namespace dodona::files
