// Ring: members in rank order, so that one edge of the ring leaves each child, whatever the members inside.
//
//   all-reduce                   T = 2(p-1) alpha + 2(p-1)/p n / share
//   all-gather, reduce-scatter   T =  (p-1) alpha +  (p-1)/p n / share
//
// Source: Kahira et al., HPDC'21 (ParaDL), section 4.2, with m*beta/p as n/p/share.
#include "cost/algorithms/algorithm.hpp"

namespace dodona::cost {

namespace {

Cost passes(const Exchange& exchange, double count) {
    const auto p = static_cast<double>(exchange.path.ranks);
    const double steps = count * (p - 1);
    return transfer(exchange.path, steps, [&](const Crossing&) { return steps / p * exchange.request.size; });
}

}  // namespace

std::optional<Cost> ring_all_reduce(const Exchange& exchange) { return passes(exchange, 2); }

std::optional<Cost> ring_pass(const Exchange& exchange) { return passes(exchange, 1); }

}  // namespace dodona::cost
