// What a plan runs up against: a dimension too small, a window wider than a shard, an uneven division.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace dodona::plan {

struct Limit {
    std::string text;     ///< "filter <= 64: layer conv1 (conv) cannot be split further"
    bool broken = false;  ///< broken: the plan cannot run
    double bound = std::numeric_limits<double>::infinity();  ///< ways that it allows; the tightest is told first
    std::int64_t pieces = 0;                                 ///< pieces that there are to deal out; 0: no such count
    std::int64_t ways = 0;                                   ///< ways that they are dealt out
    auto operator<=>(const Limit&) const = default;
};

/// The broken limit that allows the fewest ways; null if none is broken.
inline const Limit* tightest_broken(const std::vector<Limit>& limits) {
    const Limit* tightest = nullptr;
    for (const Limit& limit : limits) {
        if (limit.broken && (tightest == nullptr || limit.bound < tightest->bound)) {
            tightest = &limit;
        }
    }
    return tightest;
}

}  // namespace dodona::plan
