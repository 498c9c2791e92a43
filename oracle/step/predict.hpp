// Predicts one plan: shards the graph, times kernels and collectives, and evaluates the schedule in closed form.
#pragma once

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "step/prediction.hpp"

namespace dodona::step {

/// Throws InputError at `where` if the plan is invalid for graph and cluster (size of the mesh, batch that does not
/// divide, unknown axis ...). Limits that the plan breaks are part of the prediction.
Prediction predict(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                   const Location& where = {});

}  // namespace dodona::step
