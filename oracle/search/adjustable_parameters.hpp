// Parameters that an answer may hang on, and how to turn each: a table.
//
// Turning one by a factor f changes that and nothing else:
//
//   bandwidth (LEVELS)     of their links and of reductions in their switches, times f
//   latency (LEVELS)       of a message, what a protocol takes to start, of reductions in switches, times f
//   device peak            matrix units at every precision and the vector units
//   memory bandwidth, device memory (with --max-memory), kernel start (on the device), host link (with staged
//   transfers), host memory, storage bandwidth
//   a framework's parameters, inside their range (plan/framework.hpp)
//   global batch           by doublings, so that what divided before still does
//
// Neighbouring levels on one side of the node's boundary whose links have one bandwidth are one parameter: the same cable.
// Measured tables move by what the model says of the change (cost/moved_tables.hpp).
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "search/explanation.hpp"

namespace dodona::search {

/// What a question takes as given.
struct Conditions {
    cluster::Cluster cluster;
    plan::Framework framework;
    std::int64_t batch = 1;
    std::optional<Bytes> max_memory;
    bool offloads = false;  ///< plans may keep something in the hosts' memory
};

struct AdjustableParameter {
    Parameter parameter;
    double below = 1, above = 1;  ///< factors close to 1 that a derivative is taken between
    bool by_doublings = false;
    bool by_steps = false;  ///< plans come to fit and cease to: time jumps, so that plans known say little about others
    std::function<Conditions(const Conditions&, double factor)> adjusted;
};

/// How far a parameter is followed, as a factor either way: our choice, beyond it nothing is the same machine any more.
inline constexpr double kFarthest = 16;

/// Of the parameters that are there, in the order of the table above. `plan`: the one whose derivatives are asked for.
std::vector<AdjustableParameter> adjustable_parameters(const Conditions& conditions, const graph::Graph& graph,
                                                       const plan::Plan& plan);

}  // namespace dodona::search
