// A network on a machine, with what both are read from: questions vary it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"
#include "files/library.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "reports/collect/prediction_report.hpp"

namespace dodona::questions {

/// Parameters of a model file, by name.
using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Workload {
    reports::Subject subject = {};  ///< as typed
    graph::Graph graph = {};
    cluster::Cluster cluster = {};
    Parameters parameters = {};     ///< that replace those of the model file
    std::string text = {};          ///< of the model file, where a launch script spells it out
    std::string expert_loads = {};  ///< file; empty: none
    files::Library files;
};

/// One plan of it.
struct OnePlan {
    Workload workload;
    plan::Plan plan;
};

/// Remarks that come with an answer, a sentence each.
using Notes = std::vector<std::string>;

/// As readers of files take them.
std::vector<files::Setting> settings_of(const Parameters& parameters);

/// The workload's network with these parameters in the place of its own, and the loads of its experts. Throws InputError
/// where there is none.
graph::Graph network_with(const Workload& workload, const Parameters& parameters, const Location& where = {});

/// The network with samples of that many tokens. Throws InputError where it has no parameter `sequence`.
graph::Graph network_at(const Workload& workload, std::int64_t sequence);

/// All strategies that are made for such a network.
std::vector<plan::Strategy> strategies_made_for(const Workload& workload);

}  // namespace dodona::questions
