// Trees: few steps, more bytes. L = ceil(log2 p), 1/beta the smallest share on the way, n whole in every step.
//
//   tree          T = 2 L (alpha + n beta)                      binomial reduction, then broadcast
//   double tree   T = 2 * min over k >= 1 of  2 (L + k) (alpha + n beta / (2k))
//                 the best k is sqrt(L n beta / (2 alpha)), taken to the better whole number of chunks
//
// A broadcast over two trees, each with half the buffer in k chunks, takes 2(L+k)(alpha + n beta/(2k)); a reduction is
// its mirror, and an all-reduce is both. (ParaDL prints the formula of the broadcast for the all-reduce; a large
// all-reduce would then send n bytes, fewer than the minimum of 2(p-1)/p n.)
// Not modelled: overlap of reduction and broadcast; cheaper steps inside a child.
// Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19
// (2005), for trees on small buffers; Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast,
// reduction and scan", Parallel Computing 35 (2009).
#include <algorithm>
#include <bit>
#include <cmath>

#include "cost/algorithms/algorithm.hpp"

namespace dodona::cost {

namespace {

double depth(std::int64_t ranks) { return std::bit_width(static_cast<std::uint64_t>(ranks - 1)); }

/// `passes` times the buffer over each level, in `steps` steps.
Cost streamed(const Exchange& exchange, double steps, double passes) {
    return transfer(exchange.path, steps, [&](const Crossing&) { return passes * exchange.request.size; });
}

Cost chunked(const Exchange& exchange, double chunks) {
    const double steps = 4 * (depth(exchange.path.ranks) + chunks);
    return streamed(exchange, steps, steps / (2 * chunks));
}

}  // namespace

std::optional<Cost> tree_all_reduce(const Exchange& exchange) {
    const double steps = 2 * depth(exchange.path.ranks);
    return streamed(exchange, steps, steps);
}

std::optional<Cost> double_tree_all_reduce(const Exchange& exchange) {
    const Seconds alpha = exchange.path.latency();
    if (alpha <= Seconds{}) {
        return streamed(exchange, 0, 2);  // infinitely many chunks
    }
    const Seconds whole = streamed(exchange, 0, 1).time;
    const double best = std::sqrt(depth(exchange.path.ranks) / 2 * (whole / alpha));
    const Cost fewer = chunked(exchange, std::max(1.0, std::floor(best)));
    const Cost more = chunked(exchange, std::max(1.0, std::ceil(best)));
    return fewer.time <= more.time ? fewer : more;
}

}  // namespace dodona::cost
