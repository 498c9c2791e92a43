// Records of collectives and messages as tables of time over size, by level.
//
// A table is of one back end, level, collective, number of ranks and ranks per node, one group alone. Where several
// variants were measured, the library's own algorithm counts before one that was forced, and of what is in place and
// what is not that with more sizes, else what training does: all-reduces in place, the rest not.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "calibrate/network/collective_tables.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// Which links: a back end's word for a level.
struct LevelKey {
    std::string backend;
    std::string level;
    auto operator<=>(const LevelKey&) const = default;
};

/// All that was measured on one level.
struct LevelRecords {
    std::vector<const Measurement*> collectives;   ///< one group, groups at once, broadcasts too
    std::vector<const Measurement*> messages;      ///< `send`
    std::vector<const Measurement*> interference;  ///< a collective beside a load
    std::map<std::string, std::string> facts;      ///< of the back end
    std::string date;                              ///< of the last
};

/// Which algorithm's tables are wanted.
struct SeriesChoice {
    std::string algorithm;  ///< empty: the library's own where it was measured, else whatever was
};

/// By level. A collective without a level is on "node" where all its ranks are on one, else on "network". Passes other
/// than time, failures and what lacks are left out. What is returned points into `records`.
std::map<LevelKey, LevelRecords> by_level(std::span<const Record> records);

/// Tables of cluster::Collective's, of sends those back and forth; times in us. Of repeated measurements of a case, the
/// minimum counts if minima were requested, otherwise all are kept.
Tables tables_of(const LevelRecords& level, const SeriesChoice& choice);

/// The series of a collective or a message; none of a broadcast and other patterns of messages.
std::optional<CollectiveSeries> series_of(const Case& of);

}  // namespace dodona::calibrate
