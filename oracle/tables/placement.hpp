// Which part of which table lies on which device, in which tier of its memory.
//
// A step waits for the device whose look-ups take longest. All devices are alike; of each tier each has its share of the
// node's. Placing is done in four steps:
//
//   1 tiers    the tables with most traffic a byte into the fastest tier that has room, over all devices
//   2 split    a table that does not fit a device's share, or takes longer than the mean of all devices, by columns down
//              to kLeastColumns, then by rows
//   3 place    the longest first on the device with least to do among those with room; where none has, the part is
//              halved, or goes to the next tier
//   4 improve  parts of the busiest device are moved, or exchanged with shorter ones, while it gets shorter
//
// For few parts all placements are tried (branch and bound), which shows that none is better, of these parts in these
// tiers. For any number there is a bound that no splitting and no placing beats:
//
//   bound = 1/p min over tiers of sum over tables of traffic / rate of its tier
//
// with tables cut at any byte: most traffic a byte first, fastest tier first. With a cache, or sums made beside a memory,
// the bound takes all rows at the fastest rate.
// Source: Graham 1969 for step 3; the greedy order of step 1 and of the bound is Dantzig's of the fractional knapsack,
// Operations Research 5(2), 1957.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "tables/table.hpp"

namespace dodona::tables {

/// Parts by columns have at least so many: 64 bytes of fp32, which memories move at once.
inline constexpr double kLeastColumns = 16;
/// Placements that are tried exactly have at most so many parts, and visit so many nodes of the search.
inline constexpr std::size_t kMaxExactShards = 24;
inline constexpr std::int64_t kMaxVisits = 2'000'000;

/// A device's share of a memory, as rows are read and written there at random.
struct Tier {
    std::string name;
    Bytes room;           ///< for tables, of one device
    BytesPerSecond rate;  ///< of one device
    /// A processor beside the memory adds rows up: only sums and their gradients pass the link to the device.
    bool pools = false;
    BytesPerSecond link;  ///< of one device, where it pools
    /// Rows that the device's own memory has copies of, as a share of all rows in this tier.
    double cached = 0;
};

struct PlacementQuestion {
    std::vector<Table> tables;
    RowFormat format;
    std::vector<Tier> tiers;  ///< fastest first
    std::int64_t devices = 1;
    double samples = 1;         ///< of a step, all devices together
    BytesPerSecond cache_rate;  ///< of copies of rows in the device's own memory
    double zipf = 0;            ///< exponent of accesses
    bool may_split = true;
};

/// A part in its place.
struct Placed {
    Shard shard;
    std::size_t tier = 0;
    std::int64_t device = 0;
    Bytes bytes;
    Seconds time;     ///< its look-ups in a step, forward and backward
    double hits = 0;  ///< share of look-ups in the device's own memory
};

struct Placement {
    std::vector<Placed> shards;         ///< in the order of tables
    std::vector<Seconds> device_times;  ///< of look-ups
    std::vector<Bytes> device_pooled;   ///< sums of a step that a device makes and sends, one way
    Seconds longest;                    ///< the busiest device
    Seconds bound;                      ///< no placement is shorter
    bool best_of_shards = false;        ///< all placements of these parts in these tiers were tried
    /// Tables that fit nowhere; empty: all are placed.
    std::vector<std::size_t> unplaced;

    /// The busiest device over the mean.
    [[nodiscard]] double imbalance() const;
};

Placement place(const PlacementQuestion& question);

/// Time of a part's look-ups in a step, in a tier.
Seconds lookup_time(const PlacementQuestion& question, const Shard& shard, const Tier& tier);

}  // namespace dodona::tables
