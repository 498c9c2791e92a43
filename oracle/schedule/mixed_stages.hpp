// Cuts of the network for stages on different devices.
#pragma once

#include "schedule/replica.hpp"

namespace dodona::schedule {

/// Whether some replica has stages on different devices, and the plan leaves open how to cut.
bool cuts_by_device(const std::vector<Crew>& crews, const plan::Plan& plan);

enum class Memory { ignored, respected };

/// For the devices of each crew, and for the slowest that each stage has in any of them, the cut into consecutive units
/// whose slowest (virtual) stage is fastest. With memory respected, among the cuts whose stages fit their devices: none
/// where there is no such cut, nor for chunks, where the stages share what no single chunk knows.
/// Instances of repeated units move in bundles where there are more than 512.
std::vector<std::vector<Stage>> mixed_cuts(const std::vector<Crew>& crews, const plan::Plan& plan,
                                           std::int64_t microbatches, Memory memory);

}  // namespace dodona::schedule
