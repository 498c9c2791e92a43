// The levels of a cluster, as its file has them.
#pragma once

#include "cluster/cluster.hpp"
#include "files/description.hpp"

namespace dodona::files {

inline constexpr std::int64_t kMaxDevices = 1'000'000'000;

/// A level of a file: one of them says that it is the node.
struct LevelEntry {
    cluster::Level level;
    bool is_node = false;
};

template <>
const Description& description<LevelEntry>();

std::vector<LevelEntry> level_entries(const cluster::Cluster& cluster);

/// Sets the levels of a cluster and its node.
void set_levels(const std::vector<LevelEntry>& entries, cluster::Cluster& cluster, const Value& value,
                const Reading& reading);

}  // namespace dodona::files
