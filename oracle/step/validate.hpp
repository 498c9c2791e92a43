// Checks a plan against graph and cluster: size of the mesh, divisibility of the batch, layers to recompute that do not
// exist.
#pragma once

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"

namespace dodona::step {

/// All faults of the plan, located at `where`.
Diagnostics plan_faults(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                        const Location& where);

/// Throws all faults as one InputError.
void validate(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
              const Location& where);

/// Checks that every device of the first `ranks` ranks supports the precision.
void check_devices(const cluster::Cluster& cluster, std::int64_t ranks, Precision precision, const Location& where,
                   Diagnostics& faults);

/// Ranks that hold different samples under this plan's strategy.
std::int64_t data_ranks(const plan::Plan& plan, const Location& where = {});

}  // namespace dodona::step
