// Predicts one plan: shards the graph, times its kernels and collectives, plays the schedule in closed form.
#pragma once

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "step/prediction.hpp"

namespace dodona::step {

/// Faults of the plan against graph and cluster (mesh product, batch not divisible, unknown axis ...) that make it
/// meaningless are thrown as InputError at `where`; limits that it breaks are part of the answer.
Prediction predict(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                   const Location& where = {});

}  // namespace dodona::step
