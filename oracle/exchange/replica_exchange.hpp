// A plan's step with an exchange in the place of its own all-reduce of gradients between replicas.
//
// What is replaced: the all-reduce of weight gradients over the largest group of ranks that hold the same weights.
// Everything else of the step stays: kernels, collectives of layers, sharding inside a replica (hybrid sharding), the
// optimizer, waiting of the framework. Messages hide behind the passes of the last micro-batch of the stage that ends
// last, as much as the plan's own all-reduce does: put in its own place it takes the plan's own time.
// Not modelled: compute lost to exchanges that run beside it, beyond what the plan's own step has; memory of compressed
// copies, residuals and outer optimizers.
#pragma once

#include <optional>

#include "exchange/exchange_cost.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "step/prediction.hpp"

namespace dodona::exchange {

/// The replicas of a plan and what they do between exchanges.
struct Replicas {
    cluster::Group group;  ///< the workers of the exchange: ranks that hold the same weights
    std::int64_t ranks = 1;
    ReplicaWork work;
    Estimate step;        ///< of the plan, with its own exchange
    Seconds own_exposed;  ///< of the plan's own exchange, which is replaced
    Seconds own_busy;
    std::optional<cluster::Algorithm> algorithm;  ///< of the plan's collectives
    double slower = 1;                            ///< collectives in the plan's software, over the machine's
};

/// None for a plan without such an all-reduce: one replica, or states that are sharded over all replicas. Domain: a plan
/// that runs; `prediction` is of the same graph, cluster and plan.
std::optional<Replicas> find_replicas(const graph::Graph& graph, const cluster::Cluster& cluster,
                                      const step::Prediction& prediction, const Location& where = {});

/// The same; throws InputError at `where` if there is none.
Replicas replicas_of(const graph::Graph& graph, const cluster::Cluster& cluster, const step::Prediction& prediction,
                     const Location& where = {});

/// An exchange of these replicas.
struct ReplicaExchange {
    Exchange exchange;
    Workers workers;
    ExchangeCost cost;
    Estimate step;  ///< with the interval of the plan's own step, scaled
    double samples_per_second = 0;
    std::optional<std::int64_t> endpoints;  ///< cores of each worker that only send and receive
    bool compression_measured = false;      ///< on this device; else its kernels are passes over memory
};

/// Throws InputError where endpoints leave no core to compute.
ReplicaExchange replica_exchange(const Exchange& exchange, const cluster::Cluster& cluster, const Replicas& replicas,
                                 std::int64_t batch);

}  // namespace dodona::exchange
