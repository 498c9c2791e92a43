// Faults that make a plan meaningless for a graph and a cluster: a mesh that is larger than the machine, a batch that
// does not divide, layers to recompute that there are none of.
#pragma once

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"

namespace dodona::step {

/// All of them, located at `where`.
Diagnostics plan_faults(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                        const Location& where);

/// Throws them as one InputError.
void validate(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
              const Location& where);

/// That every device of the first `ranks` ranks has the precision.
void check_devices(const cluster::Cluster& cluster, std::int64_t ranks, Precision precision, const Location& where,
                   Diagnostics& faults);

/// Ranks that hold different samples under this plan's strategy.
std::int64_t data_ranks(const plan::Plan& plan, const Location& where = {});

}  // namespace dodona::step
