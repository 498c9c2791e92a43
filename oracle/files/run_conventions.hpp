// How rows of a table of runs are to be read as questions: which strategy file, optimizer and settings they mean, and
// which of them mean nothing that can be asked here. Data, so that a new kind of run is a line.
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

/// The strategy and mesh of a row.
struct RunStrategy {
    RunCondition when;
    std::string strategy;  ///< a built-in one
    struct Axis {
        std::string name;
        std::string column;  ///< that has its size
    };
    std::vector<Axis> mesh;  ///< innermost first
    std::optional<std::string> algorithm;
    std::optional<cluster::ParameterServers::Place> servers;  ///< of the algorithm parameter-server
    std::string refusal;                                      ///< not empty: why such rows cannot be asked
    Location where;
};

/// A word for the rows that match: an optimizer, a precision, what a time leaves out.
struct RunWord {
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

/// What a run's word for recomputation means for the rows that match: layers by name, in the words of plan files.
struct RunRecompute {
    RunCondition when;
    std::vector<plan::Match> layers;
    Location where;
};

struct RunConventions {
    struct Input {
        std::string word;                     ///< "seq"
        std::vector<std::string> parameters;  ///< the first that a model has takes the last extent
    };
    std::vector<Input> inputs;
    std::vector<RunWord> models;              ///< the first match counts: ours under another name; none: its own
    std::vector<RunWord> machines;            ///< the first match counts: as its software found it; none: its own
    std::vector<RunStrategy> strategies;      ///< the first match counts
    std::vector<RunWord> optimizers;          ///< the first match counts
    std::vector<RunWord> frameworks;          ///< the first match counts; none: the neutral one
    std::vector<RunWord> precision;           ///< the first match counts; none: the column's
    std::vector<RunWord> gradient_precision;  ///< the first match counts; none: the default
    std::vector<RunWord> overlap;             ///< all matches count: what hides behind compute beside the columns' own
    std::vector<RunWord> not_timed;           ///< all matches count: parts of a step that the measured time leaves out
    std::vector<RunWord> memory;              ///< the first match counts: a memory profile; none: the neutral one
    std::vector<RunRecompute> recompute;      ///< the first match counts; none: the column's word is a plan's
    std::vector<RunSettings> settings;        ///< all matches count
};

RunConventions read_run_conventions(Document document);

/// The text with each "{column}" replaced by the row's cell.
std::string filled(const std::string& text, const MeasuredRun& run);

}  // namespace dodona::files
