// The levels of a cluster file.
#pragma once

#include <filesystem>

#include "cluster/cluster.hpp"
#include "files/document.hpp"
#include "files/fields.hpp"

namespace dodona::files {

inline constexpr std::int64_t kMostDevices = 1'000'000'000;

/// Where the links that levels name are found.
struct LinkFinder {
    std::filesystem::path folder;  ///< of the cluster file
    const Opener& open;
};

/// Fills the cluster's levels and marks its node.
void read_levels(const Value& value, cluster::Cluster& cluster, const LinkFinder& links);

}  // namespace dodona::files
