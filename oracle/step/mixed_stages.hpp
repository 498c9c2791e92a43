// Pipeline cuts for stages on different devices.
#pragma once

#include "step/replica.hpp"

namespace dodona::step {

/// Whether some replica has stages on different devices and the plan does not prescribe the cut.
bool cuts_by_device(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan);

enum class MemoryLimits { ignored, respected };

/// Candidate cuts whose slowest (virtual) stage is fastest. For one group the only candidate is exact. Unequal groups
/// share one cut, so there are candidates for several objectives: the devices of each group, the slowest device of all
/// groups, times relative to each group's optimum, with one group favoured. The best candidate, which the caller
/// selects, is within 10 % of the optimum, 0.1 % on average (tests/step). With MemoryLimits::respected only cuts whose
/// stages fit their devices; none if there is no such cut, and none with virtual stages. More than 512 instances of a
/// repeated segment are moved in bundles.
std::vector<std::vector<Stage>> mixed_cuts(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan,
                                           std::int64_t microbatches, MemoryLimits memory);

}  // namespace dodona::step
