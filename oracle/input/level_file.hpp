// The levels of a cluster file.
#pragma once

#include "cluster/cluster.hpp"
#include "input/fields.hpp"

namespace dodona::input {

inline constexpr std::int64_t kMostDevices = 1'000'000'000;

/// Fills the cluster's levels and marks its node.
void read_levels(const Value& value, cluster::Cluster& cluster);

}  // namespace dodona::input
