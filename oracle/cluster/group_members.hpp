// The ranks of the groups that a mesh makes of a job: every rank is in one group of each kind.
//
// A kind of group (cluster.hpp) has strides {s, z}. The coordinate of rank r along a stride is r / s mod z, and a group
// is all ranks that differ in these coordinates only. Members are numbered by their coordinates, innermost stride first.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.hpp"

namespace dodona::cluster {

/// The number of `rank` among the members of its group.
std::int64_t member_index(const Group& group, std::int64_t rank);

/// Member `index` of the group of `rank`.
std::int64_t member(const Group& group, std::int64_t rank, std::int64_t index);

/// All members of the group of `rank`, in the order of their numbers.
std::vector<std::int64_t> members(const Group& group, std::int64_t rank);

}  // namespace dodona::cluster
