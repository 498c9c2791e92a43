// The meshes and schedules on which per-layer strategies are searched: two axes, alone or inside pipeline stages.
#pragma once

#include <vector>

#include "search/layer_choices.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// Names of the axes that layers choose on, innermost first, and of the stages.
inline constexpr const char* kInnerAxis = "inner";
inline constexpr const char* kOuterAxis = "outer";
inline constexpr const char* kStageAxis = "pipeline";

/// Settings without a pipeline: every factorisation of the devices into two axes, with and without sharded states
/// (three axes would cost much more time). Settings after named plans: the axes, pipeline, schedule, recomputation and
/// number of micro-batches of each. Elsewhere `passes` is 1 and left to the search.
std::vector<Setting> layer_settings(const Space& space, const std::vector<step::Prediction>& named);

}  // namespace dodona::search
