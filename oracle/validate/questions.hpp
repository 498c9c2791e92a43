// A measured run as a question to the oracle: which network, on which machine, by which plan.
//
// oracle/validate/conventions.yaml says what the words of a table mean; what cannot be asked is refused with the
// reason.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "input/library.hpp"
#include "input/run_conventions.hpp"
#include "input/run_table.hpp"
#include "plan/plan.hpp"
#include "schedule/prediction.hpp"

namespace dodona::validate {

struct Question {
    std::shared_ptr<const graph::Graph> graph;
    std::shared_ptr<const cluster::Cluster> cluster;
    plan::Plan plan;
    std::vector<schedule::TimePart> not_timed;  ///< parts of a step that the measured time leaves out
};

/// Asks runs one after another; networks, machines and strategies that they share are read once.
class Questions {
public:
    explicit Questions(input::Library library);

    /// Throws InputError, located in the row, whose messages say why the run cannot be asked.
    Question of(const input::Run& run);

    /// From now on this one answers to its name.
    void replace(plan::Framework framework);

private:
    std::shared_ptr<const graph::Graph> network(const input::Run& run);
    std::shared_ptr<const cluster::Cluster> machine(const input::Run& run, const input::RunStrategy& line);
    const plan::Strategy& strategy(const std::string& name, const Location& where);
    const plan::Framework& framework(const std::string& name, const Location& where);

    /// What the run's software keeps beside; the first line of the conventions that matches says.
    plan::MemoryProfile memory_of(const input::Run& run);

    input::Library library_;
    input::RunConventions conventions_;
    std::vector<schedule::TimePart> not_timed_;                   ///< by entry of conventions_.not_timed
    std::map<std::string, std::vector<std::string>> parameters_;  ///< of models, by name
    std::map<std::string, std::shared_ptr<const graph::Graph>> networks_;
    std::map<std::string, std::shared_ptr<const cluster::Cluster>> machines_;
    std::map<std::string, plan::Strategy> strategies_;
    std::map<std::string, plan::Framework> frameworks_;
    std::map<std::string, plan::MemoryProfile> profiles_;
};

}  // namespace dodona::validate
