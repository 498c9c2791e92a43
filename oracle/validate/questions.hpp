// A measured run as a question to the oracle: which network, on which machine, by which plan. Conventions say what the
// words of a table mean; a run that cannot be predicted is refused with the reason.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "files/library.hpp"
#include "files/run_conventions.hpp"
#include "files/run_table.hpp"
#include "files/table_conventions.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "step/prediction.hpp"
#include "validate/tables.hpp"

namespace dodona::validate {

/// Whose memory a row has: of the rank with most, or of one of the first or last stage.
enum class MemoryRank { fullest, first, last };

struct Question {
    std::shared_ptr<const graph::Graph> graph;
    std::shared_ptr<const cluster::Cluster> cluster;
    plan::Plan plan;
    std::vector<step::TimePart> not_timed;  ///< parts of a step that the measured time leaves out
    double memory_unit = 1;                 ///< bytes in one byte of measured memory, as the row has it
    MemoryRank memory_rank = MemoryRank::fullest;
};

/// What the software of a run is like: its framework with its mechanisms, and what it keeps beside in device memory.
struct Software {
    plan::Framework framework;
    plan::MemoryProfile memory;
};

/// Runs as questions, one after another. Networks, machines and strategies that they share are read once.
class Questions {
public:
    /// Networks and machines that the library does not have are looked up in `tables`. `conventions` come before those
    /// of the library.
    explicit Questions(const files::Library& library, Tables tables = {}, files::RunConventions conventions = {});

    /// Throws InputError, located in the row, whose messages say why the run cannot be asked.
    Question of(const files::MeasuredRun& run);

    /// As the conventions say it of the words of the run, which has every column.
    Software software(const files::MeasuredRun& run);

    /// From now on this framework takes the place of the one that was read by its reference.
    void replace(plan::Framework framework);

private:
    /// The model file of a run and what it sets.
    struct Named {
        std::string model;
        std::vector<files::Setting> settings;
    };
    [[nodiscard]] const files::ModelRow* row_of(const files::MeasuredRun& run);
    Named named(const files::MeasuredRun& run);
    Named described(const files::MeasuredRun& run, const files::ModelRow& row);
    Question asked(const files::MeasuredRun& given, const Named& named);
    const std::vector<std::string>& parameters(const std::string& model, const Location& where);
    std::shared_ptr<const graph::Graph> network(const files::MeasuredRun& run, const Named& named);
    /// As the run's software found it, where the conventions say so.
    std::shared_ptr<const cluster::Cluster> machine(const files::MeasuredRun& run, const files::RunStrategy& line);
    std::shared_ptr<const cluster::Cluster> machine_named(const files::MeasuredRun& run,
                                                          const files::RunStrategy& line);
    const plan::Strategy& strategy(const std::string& name, const Location& where);
    const plan::Framework& framework(const std::string& name, const Location& where);

    /// The run's framework with the mechanisms that the conventions name, and how far the run is from those of the fit.
    /// `question`: the run's, as far as it is known; null: its words are all that is.
    plan::Framework software_of(const files::MeasuredRun& run, const Question* question = nullptr);
    /// What is usual for a run whose software nobody names.
    plan::Framework usual_software(const files::MeasuredRun& run, const Question& question);
    const plan::Mechanism& mechanism(const std::string& name, const Location& where);

    /// What the run's software keeps beside: the first line of the conventions that matches says, or the usual framework.
    plan::MemoryProfile memory_of(const files::MeasuredRun& run, const plan::Framework& framework);

    files::Library library_;
    Tables tables_;
    files::RunConventions conventions_;
    files::TableConventions table_conventions_;
    std::set<std::string> built_in_;                              ///< models that a table does not describe otherwise
    std::map<std::string, bool> is_spelling_;                     ///< of a built-in model, by word
    std::set<std::string> checked_;                               ///< models of tables whose parameters are as printed
    std::vector<step::TimePart> not_timed_;                       ///< by entry of conventions_.not_timed
    std::map<std::string, std::vector<std::string>> parameters_;  ///< of models, by name
    std::map<std::string, std::shared_ptr<const graph::Graph>> networks_;
    std::map<std::string, std::shared_ptr<const cluster::Cluster>> machines_;
    std::map<std::string, plan::Strategy> strategies_;
    std::map<std::string, plan::Framework> frameworks_;
    std::vector<plan::Framework> built_in_frameworks_;
    std::map<std::string, plan::Mechanism> mechanisms_;
    std::map<std::string, plan::MemoryProfile> profiles_;
};

}  // namespace dodona::validate
