// Measured collectives as tables: time over size, for each collective and number of ranks.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/link.hpp"

namespace dodona::calibrate {

/// What a table is of.
struct CollectiveSeries {
    cluster::Collective collective = cluster::Collective::all_reduce;
    std::int64_t ranks = 2;
    std::int64_t ranks_per_node = 2;
    auto operator<=>(const CollectiveSeries&) const = default;
};

/// Times of one series by size. `kept_out` never becomes a point.
struct Measured {
    std::map<double, std::vector<double>> points;    ///< bytes -> us, every repeat
    std::map<double, std::vector<double>> kept_out;  ///< likewise
    std::set<std::string> sources;
};

using Tables = std::map<CollectiveSeries, Measured>;

}  // namespace dodona::calibrate
