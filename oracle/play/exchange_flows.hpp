// Collectives of a job as flows between its ranks, on the topology of the cluster.
//
// A ring's steps follow one another at the pace of its slowest edge, so they are one flow on each edge with the bytes
// of all of them. With p members and S bytes in k rings, each edge carries
//
//   steps * S / (p k)      steps: 2 (p - 1) of an all-reduce, p - 1 of an all-gather or reduce-scatter
//
// after what waiting for the steps costs, steps / p times the latencies of all edges. Rings go through the members of
// one node after those of another. There is a ring for each member in a node, which leaves the node at another member,
// so that all adapters work as in NCCL (hierarchical algorithms are played as these rings too); without a switch inside
// nodes there are the rings that use different pairs. Trees are played as rings.
//
// Direct algorithms have a flow between each two members, with S / p of an all-to-all, all-gather or reduce-scatter and
// twice that, in two steps, of an all-reduce. A send has one flow. cost::Flows says of each algorithm which it is.
// Without flows: in-network reduction, parameter servers, rings along the dimensions of a torus, halos, all-to-alls
// that send a token to a node once. Source: NVIDIA/nccl, src/graph/rings.cc and connect.cc, for a ring per channel;
// Patarasuk and Yuan, JPDC 69 (2009), for its steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/cluster.hpp"
#include "cost/collective_time.hpp"
#include "simulate/routes.hpp"
#include "simulate/task_graph.hpp"

namespace dodona::play {

struct ExchangeFlows {
    cluster::Collective collective = cluster::Collective::all_reduce;
    cost::Flows flows = cost::Flows::rings;  ///< not none
    std::vector<std::int64_t> ranks;         ///< at least two; of a send from the first to the second
    Bytes size;                              ///< as cost::CollectiveRequest has it
    double times = 1;                        ///< consecutive ones, or the part of one that shows
    simulate::KindId kind{};
    std::vector<simulate::TaskId> after;  ///< all wait for all of these
};

/// Rank r is endpoint r of the routes' topology.
class FlowBuilder {
public:
    FlowBuilder(const cluster::Cluster& cluster, simulate::Routes& routes, simulate::TaskGraphBuilder& tasks)
        : cluster_(cluster), routes_(routes), tasks_(tasks) {}

    /// Adds the tasks and returns them: the exchange is over when all have ended.
    std::vector<simulate::TaskId> add(const ExchangeFlows& exchange);

private:
    [[nodiscard]] std::vector<std::vector<std::int64_t>> rings(std::vector<std::int64_t> ranks) const;
    void add_ring(const ExchangeFlows& exchange, const std::vector<std::int64_t>& ring, double share,
                  std::vector<simulate::TaskId>& added);
    simulate::TaskId add_flow(const ExchangeFlows& exchange, std::int64_t from, std::int64_t to, Bytes bytes,
                              Seconds wait);
    void add_pairs(const ExchangeFlows& exchange, std::vector<simulate::TaskId>& added);
    [[nodiscard]] Seconds start_up(std::span<const std::int64_t> ranks) const;
    simulate::RouteId route(std::int64_t from, std::int64_t to);

    const cluster::Cluster& cluster_;
    simulate::Routes& routes_;
    simulate::TaskGraphBuilder& tasks_;
};

}  // namespace dodona::play
