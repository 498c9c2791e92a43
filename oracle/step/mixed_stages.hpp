// Cuts of the network for stages on different devices.
#pragma once

#include "step/replica.hpp"

namespace dodona::step {

/// Whether some replica has stages on different devices, and the plan leaves open how to cut.
bool cuts_by_device(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan);

enum class MemoryLimits { ignored, respected };

/// Cuts into consecutive segments whose slowest (virtual) stage is fastest: on the devices of each group, and on the
/// slowest of them all, by the clock and against each group's own best, with one or another group favoured. For one group
/// that is exact; which cut suits unlike groups that share it is for the caller to see (within 10 % of the best, 0.1 %
/// on average: tests/schedule). With memory respected, among the cuts whose stages fit their devices: none where there
/// is no such cut, nor for chunks, where the stages share what no single chunk knows. Instances of repeated segments move
/// in bundles where there are more than 512.
std::vector<std::vector<Stage>> mixed_cuts(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan,
                                           std::int64_t microbatches, MemoryLimits memory);

}  // namespace dodona::step
