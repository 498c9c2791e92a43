// In-network: switches reduce incoming and multicast outgoing messages (NVLS inside nodes, SHARP between nodes).
//
// On each level the group has c children in a domain, each with m members, which hold the buffer between them, n/m
// each, after the levels inside have reduced it. Out of a child go, and into it come,
//
//                                 all-reduce       all-gather, reduce-scatter    steps
//   the level reduces             n                (c-1)/c n                     1
//   the level forwards: a ring    2(c-1)/c n       (c-1)/c n                     2(c-1), c-1
//
//   T = sum over levels of steps * alpha + max over levels of bytes / share      in one pipeline
//
// A child with all members of its domain (c = 1) forwards what its domain sends. Of a reducing level alpha and share
// are those of the reduction. An all-reduce in the network sends n where a ring sends 2(p-1)/p n; an all-gather sends a
// member's own part once, the switch multiplies it, but every member still receives (c-1)/c n; a reduce-scatter is its
// mirror, with (c-1)/c n sent.
//
// Domain: groups that cross a level that reduces and whose members lie alike in the innermost domains that hold
// several; of all-gathers and reduce-scatters those whose levels all reduce (NVIDIA/nccl: src/enqueue.cc). Not
// modelled: how many groups a switch can serve at once; the parts of a message that NVLS reads back, which the
// bandwidth given for the reduction has to contain. Source: Graham et al., "Scalable hierarchical aggregation protocol
// (SHARP)", COM-HPC 2016; NVIDIA NCCL 2.27 documentation, NCCL_NVLS_ENABLE and NCCL_ALGO (NVLS, NVLSTree,
// CollnetDirect: reduce-scatter inside, SHARP across); Klenk et al., "An in-network architecture for accelerating
// shared-memory multiprocessor collectives", ISCA 2020.
#include <algorithm>

#include "cost/algorithms/algorithm.hpp"

namespace dodona::cost {

namespace {

/// Costs of one level.
struct LevelCost {
    double steps = 0;
    double out = 0;   ///< bytes out of a child over n
    double sent = 0;  ///< bytes that its members send, over n
};

LevelCost level_cost(const Crossing& crossing, bool all_reduce, bool gather) {
    const auto c = static_cast<double>(crossing.children);
    const double part = (c - 1) / c;
    if (!crossing.reduction) {
        const double passes = all_reduce ? 2 : 1;
        return {passes * (c - 1), passes * part, passes * part};
    }
    return {1, all_reduce ? 1 : part, all_reduce ? 1 : gather ? 1 / c : part};
}

std::optional<Cost> reduced(const Exchange& exchange) {
    const auto& crossings = exchange.path.crossings;
    const bool reduces = std::any_of(crossings.begin(), crossings.end(),
                                     [](const Crossing& c) { return c.reduction && c.children > 1; });
    if (!reduces || !innermost_shared(exchange.spans)) {
        return std::nullopt;
    }
    const bool all_reduce = exchange.request.collective == cluster::Collective::all_reduce;
    const bool gather = exchange.request.collective == cluster::Collective::all_gather;
    const Bytes size = exchange.request.size;
    Seconds waiting, slowest;
    Bytes sent;
    std::size_t level = crossings.back().level;
    double out = 0;
    for (auto crossing = crossings.rbegin(); crossing != crossings.rend(); ++crossing) {
        if (crossing->children > 1) {
            const LevelCost cost = level_cost(*crossing, all_reduce, gather);
            waiting += cost.steps * (crossing->reduction ? crossing->reduction->latency : crossing->latency);
            out = cost.out;
            sent += cost.sent / static_cast<double>(crossing->members) * size;
        }
        const bool through = crossing->reduction && crossing->children > 1;
        const Seconds time = out * size / (through ? crossing->reduction->bandwidth : crossing->share);
        if (time > slowest) {
            slowest = time;
            level = crossing->level;
        }
    }
    return Cost{waiting + slowest, level, exchange.path.contention, sent};
}

}  // namespace

std::optional<Cost> in_network_all_reduce(const Exchange& exchange) { return reduced(exchange); }

std::optional<Cost> in_network_pass(const Exchange& exchange) {
    const auto& crossings = exchange.path.crossings;
    const bool everywhere = std::all_of(crossings.begin(), crossings.end(),
                                        [](const Crossing& c) { return c.reduction || c.children == 1; });
    return everywhere ? reduced(exchange) : std::nullopt;
}

}  // namespace dodona::cost
