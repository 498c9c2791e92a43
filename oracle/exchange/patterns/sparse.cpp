// Sums of sparse gradients. Letters: n workers, g of them on each of m nodes, c bytes of a worker's k values and indices, d
// the dense bytes.
//
//   all-gather     (n-1) alpha + max( (n-1) c / B_inside, (n-g) g c / B_between )       g workers share the NIC
//   tree           2 (log2 g (alpha1 + c / B_near) + log2 m (alpha2 + c / B_far))  reduced, then broadcast
//   hierarchical   (g-1)(alpha1 + d/g / B_inside)               dense reduce-scatter within a node
//                  + (m-1)(alpha2 + g c/g / B_between)          sparse all-gather between equal parts, all at once
//                  + (g-1)(alpha1 + m c/g / B_inside)           sparse all-gather within the node
//
// Source: Shi et al., arXiv:2010.10458 (HiTopKComm); Shi et al., ICDCS 2019 (arXiv:1901.04359) for the tree (gTop-k).
// That streams share a NIC is derived: without it the all-gather of 128 GPUs on 25 Gb/s would look eight times as fast.
#include <cmath>

#include "exchange/pattern_cost.hpp"

namespace dodona::exchange {

namespace {

PatternCost for_all(Seconds time, Bytes sent) {
    return {.alone = time, .together = time, .busiest = time, .sent = sent, .server = {}};
}

/// `steps` messages of `bytes` in a row from worker to worker of a node.
Seconds in_node(const Workers& workers, double steps, Bytes bytes) {
    return steps > 0 ? steps * one_transfer(workers.inside, bytes) : Seconds{};
}

PatternCost by_all_gather(const Round& round) {
    const double n = round.count();
    const bool leaves = round.workers().leaves_nodes();
    const Bytes inside = round.workers().per_node > 1 ? (n - 1) * round.size : Bytes{};
    const Bytes outside = leaves ? (n - round.per_node()) * round.per_node() * round.size : Bytes{};
    return for_all(transfer(round.workers(), n - 1, inside, outside), (n - 1) * round.size);
}

PatternCost by_tree(const Round& round) {
    const Workers& workers = round.workers();
    const double rounds = std::ceil(std::log2(round.count()));
    const double inner = workers.per_node > 1 ? std::ceil(std::log2(round.per_node())) : 0;
    Seconds time;
    if (inner > 0) {
        time += inner * one_transfer(workers.to_near(), round.size);
    }
    if (workers.leaves_nodes()) {
        time += (rounds - inner) * one_transfer(workers.to_far(), round.size);
    }
    return for_all(2.0 * time, 2.0 * round.size);
}

PatternCost by_hierarchy(const Round& round) {
    const Workers& workers = round.workers();
    const double g = round.per_node();
    const auto m = static_cast<double>(workers.nodes());
    const Bytes part = round.size / g;
    Seconds time = in_node(workers, g - 1, round.dense.bytes / g) + in_node(workers, g - 1, m * part);
    if (workers.leaves_nodes()) {
        time += (m - 1) * one_transfer(workers.between, g * part);
    }
    return for_all(time, (g - 1) / g * round.dense.bytes + (m - 1) * part + (g - 1) * m * part);
}

}  // namespace

PatternCost sparse_cost(const Round& round) {
    switch (round.exchange.compression.scheme) {
        case SparseScheme::all_gather: return by_all_gather(round);
        case SparseScheme::tree: return by_tree(round);
        case SparseScheme::hierarchical: break;
    }
    return by_hierarchy(round);
}

}  // namespace dodona::exchange
