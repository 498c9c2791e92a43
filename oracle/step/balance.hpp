// Exact load balancing over workers of unequal speed: consecutive pieces to stages, micro-batches to replicas.
//
// Source of the problems: Jia et al., Whale, arXiv:2011.09208, section 3.3 (uneven layers, uneven batches); Li et al.,
// AMP, arXiv:2210.07297, section 4 (dynamic programming over layers). Both solve them approximately.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/quantity.hpp"

namespace dodona::step {

/// Whether part `part` can hold pieces first ... last-1. Domain: a part that can hold some pieces can hold fewer of
/// them.
using Holds = std::function<bool(std::size_t part, std::size_t first, std::size_t last)>;

/// Cuts a row of pieces into consecutive non-empty parts so that the slowest part is fastest; of such cuts the one with
/// the least total time. `seconds[part][piece]`; without `holds` every part can hold everything. Returns the end of
/// each part; empty if there is no such cut. Domain: one part or more.
///   best[p][e] = min over b of max(best[p-1][b], t_p(b, e))        O(parts * pieces^2) at most
std::vector<std::size_t> cut_row(const std::vector<std::vector<Seconds>>& seconds, const Holds& holds);

/// Time of the slowest part of a cut.
Seconds slowest_part(const std::vector<std::vector<Seconds>>& seconds, const std::vector<std::size_t>& ends);

/// `count` equal workers; `time` of one of them. Domain: `time` does not decrease with the micro-batches.
struct Workers {
    std::int64_t count = 1;
    std::function<Seconds(std::int64_t microbatches)> time;
};

/// `with_most` of the workers get `most` micro-batches, the others one fewer.
struct MicrobatchShare {
    std::int64_t most = 0;
    std::int64_t with_most = 0;
    bool operator==(const MicrobatchShare&) const = default;
};

/// Distributes `total` micro-batches so that the last worker finishes earliest. Every worker gets at least one. Domain:
/// `total` is not less than the number of workers.
std::vector<MicrobatchShare> deal(const std::vector<Workers>& workers, std::int64_t total);

}  // namespace dodona::step
