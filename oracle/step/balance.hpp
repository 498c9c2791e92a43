// Work dealt out to workers of unequal speed, exactly: pieces in a row to stages, micro-batches to replicas.
//
// Source of the questions: Jia et al., Whale, arXiv:2011.09208, section 3.3 (uneven layers, uneven batches); Li et al.,
// AMP, arXiv:2210.07297, section 4 (dynamic programming over layers). The answers need neither approximation.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/quantity.hpp"

namespace dodona::step {

/// Whether part `part` can hold pieces first ... last-1. Who holds some pieces can hold fewer of them.
using Holds = std::function<bool(std::size_t part, std::size_t first, std::size_t last)>;

/// Cuts a row of pieces into consecutive parts, none of them empty, so that the slowest part is fastest, and of those
/// cuts the one with the least time in all. `seconds[part][piece]`; no `holds`: everything does. Returns where each
/// part ends; nothing if there is no such cut.
///   best[p][e] = min over b of max(best[p-1][b], t_p(b, e))        O(parts * pieces^2), less where times cut it short
std::vector<std::size_t> cut_row(const std::vector<std::vector<Seconds>>& seconds, const Holds& holds);

/// What the slowest part of a cut takes.
Seconds slowest_part(const std::vector<std::vector<Seconds>>& seconds, const std::vector<std::size_t>& ends);

/// Workers that are alike. What `count` workers take for m micro-batches each never falls with m.
struct Workers {
    std::int64_t count = 1;
    std::function<Seconds(std::int64_t microbatches)> time;
};

/// `with_most` of the workers get `most` micro-batches, the others one less.
struct MicrobatchShare {
    std::int64_t most = 0;
    std::int64_t with_most = 0;
    bool operator==(const MicrobatchShare&) const = default;
};

/// Deals `total` micro-batches so that the last worker is done soonest; everyone gets one at least (who has nothing to
/// do should not be part of the composed), so total must not be less than the workers.
std::vector<MicrobatchShare> deal(const std::vector<Workers>& workers, std::int64_t total);

}  // namespace dodona::step
