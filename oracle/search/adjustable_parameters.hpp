// The parameters that an answer may be sensitive to, and how to change each. A factor f changes one parameter and
// nothing else:
//
//   bandwidth (LEVELS)     of their links and of reductions in their switches, times f
//   latency (LEVELS)       of a message, what a protocol takes to start, of reductions in switches, times f
//   device peak            matrix units at every precision and the vector units
//   memory bandwidth, device memory (with --max-memory), kernel start (on the device), host link (with staged
//   transfers), host memory, storage bandwidth
//   a framework's parameters, inside their range (plan/framework.hpp)
//   global batch           by doublings, so that what divided before still does
//
// Adjacent levels on one side of the node boundary whose links have one bandwidth are one parameter: the same cable.
// Measured tables are adjusted by the change that the model predicts (cost/moved_tables.hpp).
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "search/explanation.hpp"

namespace dodona::search {

/// The givens of a question.
struct Conditions {
    cluster::Cluster cluster;
    std::map<plan::FrameworkParameter, double> software;  ///< factors to parameters of whatever runs plans
    std::int64_t batch = 1;
    std::optional<Bytes> max_memory;
    double reserve = 0;     ///< Space::reserve
    bool offloads = false;  ///< plans may offload to host memory

    /// A framework under these conditions.
    [[nodiscard]] plan::Framework adjusted(plan::Framework framework) const;
};

struct AdjustableParameter {
    Parameter parameter;
    double below = 1, above = 1;  ///< factors close to 1 between which a derivative is taken
    bool by_doublings = false;
    bool by_steps =
        false;  ///< the parameter decides which plans fit, so times jump and only full searches locate crossovers
    std::function<Conditions(const Conditions&, double factor)> adjusted;
};

/// The largest factor in either direction. Our choice: beyond it the machine is another one.
inline constexpr double kFarthest = 16;

/// The parameters of these conditions, in the order above. `plan`: the one whose derivatives are taken.
std::vector<AdjustableParameter> adjustable_parameters(const Conditions& conditions, const graph::Graph& graph,
                                                       const plan::Plan& plan);

/// Those of a machine whatever runs on it: links, the device's peak and bandwidth, its memory.
std::vector<AdjustableParameter> machine_parameters(const cluster::Cluster& cluster);

}  // namespace dodona::search
