// Ring: members in rank order, so that one edge of the ring leaves each child, whatever the members inside.
//
//   all-reduce                   T = 2(p-1) alpha + 2(p-1)/p n / share
//   all-gather, reduce-scatter   T =  (p-1) alpha +  (p-1)/p n / share
//
// where alpha is of the slowest edge, or the mean of all edges (path.hpp).
//
// Source: Kahira et al., HPDC'21 (ParaDL), section 4.2, with m*beta/p as n/p/share; Patarasuk and Yuan,
// "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 69 (2009), for 2(p-1)/p n as the least.
#include "cost/algorithms/algorithm.hpp"

namespace dodona::cost {

Cost ring(const Path& path, double passes, Bytes bytes) {
    const auto p = static_cast<double>(path.ranks);
    const double steps = passes * (p - 1);
    return transfer(path, steps * path.latency_of_ring(), [&](const Crossing&) { return steps / p * bytes; });
}

std::optional<Cost> ring_all_reduce(const Exchange& exchange) { return ring(exchange.path, 2, exchange.request.size); }

std::optional<Cost> ring_pass(const Exchange& exchange) { return ring(exchange.path, 1, exchange.request.size); }

}  // namespace dodona::cost
