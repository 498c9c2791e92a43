// Patterns without a centre: neighbours on a ring or torus, and gossip.
//
//   neighbours   T = deg alpha + max over nodes of max( deg S / B_inside, crossing S / B_between ) + Rw(deg S)
//   gossip       the same with `probability` messages of each worker, of which (n-per_node)/(n-1) leave the node
//
// One worker alone sends to all at once, and adds what others send:
//
//   neighbours   alone = mean over workers of ( alpha + max( inside S / B_inside, outside S / B_far ) ) + Rw(deg S)
//   gossip       alone = probability (far (alpha + S / B_far) + (1 - far) (alpha + S / B_near)) + Rw
//
// deg: neighbours of a worker; crossing: edges out of a node. The time does not depend on n where all nodes are alike.
// Source: Viviani's FAST (GitHub: paoloviviani/FAST): each worker sends its whole gradient to all neighbours and adds
// what it receives; Lian et al., NIPS 2017 (arXiv:1705.09056); Blot et al., arXiv:1611.09726 (GoSGD).
#include "exchange/neighbours.hpp"

#include <algorithm>

#include "base/ranges.hpp"
#include "exchange/pattern_cost.hpp"

namespace dodona::exchange {

namespace {

/// Most edges that one node has to neighbours inside it, of one worker, and to others.
struct Edges {
    double degree = 0;
    double inside = 0;   ///< of one worker
    double outside = 0;  ///< of one node
    double shared = 0;   ///< ... of the node of a worker that has some outside, on average
    Seconds alone;       ///< of the messages of one worker, on average
};

Edges edges_of(const Round& round) {
    const Workers& workers = round.workers();
    Edges most;
    const BytesPerSecond far = workers.to_far().bandwidth;
    std::vector<double> crossing(static_cast<std::size_t>(workers.nodes()), 0.0);
    for (std::int64_t worker = 0; worker < workers.count; ++worker) {
        const std::int64_t node = worker / workers.per_node;
        const std::vector<std::int64_t> others = neighbours(round.exchange, workers.count, worker);
        double inside = 0;
        for (const std::int64_t other : others) {
            inside += other / workers.per_node == node ? 1 : 0;
        }
        const auto degree = static_cast<double>(others.size());
        crossing[static_cast<std::size_t>(node)] += degree - inside;
        most.degree = std::max(most.degree, degree);
        most.inside = std::max(most.inside, inside);
        const Seconds near = inside > 0 ? inside * round.size / workers.inside.bandwidth : Seconds{};
        const Seconds latency = inside < degree ? workers.outermost().latency : workers.inside.latency;
        most.alone += (latency + max(near, (degree - inside) * round.size / far)) / round.count();
    }
    most.outside = *std::max_element(crossing.begin(), crossing.end());
    for (std::int64_t worker = 0; worker < workers.count; ++worker) {
        const auto node = static_cast<std::size_t>(worker / workers.per_node);
        const std::vector<std::int64_t> others = neighbours(round.exchange, workers.count, worker);
        const bool leaves = any_of(
            others, [&](std::int64_t other) { return static_cast<std::size_t>(other / workers.per_node) != node; });
        most.shared += leaves ? crossing[node] / round.count() : 0;
    }
    return most;
}

}  // namespace

PatternCost neighbours_cost(const Round& round) {
    const Edges edges = edges_of(round);
    const Seconds reduction = round.network.reduce(edges.degree * round.size);
    const Seconds together =
        transfer(round.workers(), edges.degree, edges.inside * round.size, edges.outside * round.size) + reduction;
    return {.alone = edges.alone + reduction,
            .sums = reduction,
            .together = together,
            .busiest = transfer(round.workers(), 0, Bytes{}, edges.shared * round.size),
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
    const Seconds near = far < 1 ? one_transfer(workers.to_near(), round.size) : Seconds{};
    return {.alone = p * (far * one_transfer(workers.to_far(), round.size) + (1 - far) * near) + reduction,
            .together = transfer(workers, p, inside, far * round.per_node() * sent) + reduction,
            .busiest = transfer(workers, 0, inside, far * round.per_node() * sent),
            .sent = sent,
            .server = {}};
}

}  // namespace dodona::exchange
