// Patterns without a centre: neighbours on a ring or torus, and gossip.
//
//   neighbours   T = deg alpha + max over nodes of max( deg S / B_inside, crossing S / B_between ) + Rw(deg S)
//   gossip       the same with `probability` messages of each worker, of which (n-per_node)/(n-1) leave the node
//
// deg: neighbours of a worker; crossing: edges out of a node. The time does not depend on n where all nodes are alike.
// Source: Viviani's FAST (GitHub: paoloviviani/FAST): each worker sends its whole gradient to all neighbours and adds
// what it receives; Lian et al., NIPS 2017 (arXiv:1705.09056); Blot et al., arXiv:1611.09726 (GoSGD).
#include "exchange/neighbours.hpp"

#include <algorithm>

#include "exchange/pattern_cost.hpp"

namespace dodona::exchange {

namespace {

/// Most edges that one node has to neighbours inside it, of one worker, and to others.
struct Edges {
    double degree = 0;
    double inside = 0;   ///< of one worker
    double outside = 0;  ///< of one node
};

Edges edges_of(const Round& round) {
    const Workers& workers = round.workers();
    Edges most;
    std::vector<double> crossing(static_cast<std::size_t>(workers.nodes()), 0.0);
    for (std::int64_t worker = 0; worker < workers.count; ++worker) {
        const std::int64_t node = worker / workers.per_node;
        const std::vector<std::int64_t> others = neighbours(round.exchange.pattern, workers.count, worker);
        double inside = 0;
        for (const std::int64_t other : others) {
            inside += other / workers.per_node == node ? 1 : 0;
        }
        const auto degree = static_cast<double>(others.size());
        crossing[static_cast<std::size_t>(node)] += degree - inside;
        most.degree = std::max(most.degree, degree);
        most.inside = std::max(most.inside, inside);
    }
    most.outside = *std::max_element(crossing.begin(), crossing.end());
    return most;
}

}  // namespace

PatternCost neighbours_cost(const Round& round) {
    const Edges edges = edges_of(round);
    const Seconds reduction = round.network.reduce(edges.degree * round.size);
    const Seconds together =
        transfer(round.workers(), edges.degree, edges.inside * round.size, edges.outside * round.size) + reduction;
    return {.alone = edges.degree * one_transfer(round.workers().to_far(), round.size) + reduction,
            .together = together,
            .busiest = together,
            .sent = edges.degree * round.size,
            .server = {}};
}

PatternCost gossip_cost(const Round& round) {
    const Workers& workers = round.workers();
    const double p = round.exchange.probability;
    const double far = workers.leaves_nodes() ? (round.count() - round.per_node()) / (round.count() - 1) : 0;
    const Bytes sent = p * round.size;
    const Bytes inside = workers.per_node > 1 ? (1 - far) * sent : Bytes{};
    const Seconds reduction = round.network.reduce(sent);
    return {.alone = p * one_transfer(workers.to_far(), round.size) + reduction,
            .together = transfer(workers, p, inside, far * round.per_node() * sent) + reduction,
            .busiest = transfer(workers, 0, inside, far * round.per_node() * sent),
            .sent = sent,
            .server = {}};
}

}  // namespace dodona::exchange
