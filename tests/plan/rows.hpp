// Rows of a split dimension, counted one by one: what the halo formulas are held against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "plan/halo.hpp"

namespace dodona::plan::test {

using Rows = std::set<std::int64_t>;

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Rows of a dimension of `extent` that shard i owns.
inline Rows owned(std::int64_t extent, std::int64_t ways, std::int64_t i) {
    Rows rows;
    const std::int64_t share = divide_up(extent, ways);
    for (std::int64_t row = i * share; row < std::min(extent, (i + 1) * share); ++row) {
        rows.insert(row);
    }
    return rows;
}

/// The rows between the first and the last of `needed` that `own` lacks, for the worst shard. A window is contiguous;
/// with a stride longer than the kernel the rows between are counted too, as an exchange sends them in one piece.
inline void note(const Rows& needed, const Rows& own, std::int64_t share, Halo& worst) {
    if (needed.empty() || own.empty()) {
        return;
    }
    const std::int64_t above = std::max<std::int64_t>(0, *own.begin() - *needed.begin());
    const std::int64_t below = std::max<std::int64_t>(0, *needed.rbegin() - *own.rbegin());
    const int neighbours = static_cast<int>(above > 0) + static_cast<int>(below > 0);
    if (std::pair(above + below, neighbours) > std::pair(worst.rows, worst.neighbours)) {
        worst.rows = above + below;
        worst.neighbours = neighbours;
    }
    worst.too_wide = worst.too_wide || above > share || below > share;
}

}  // namespace dodona::plan::test
