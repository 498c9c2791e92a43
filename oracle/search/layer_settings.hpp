// Where layers may choose: meshes of two axes, alone or inside the stages of a pipeline.
#pragma once

#include <vector>

#include "search/layer_choices.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// Names of the axes that layers choose on, innermost first, and of the stages.
inline constexpr const char* kInnerAxis = "inner";
inline constexpr const char* kOuterAxis = "outer";
inline constexpr const char* kStageAxis = "pipeline";

/// One mesh with one way to save memory; passes are left at 1, or as a named plan has them where it has a pipeline.
/// Every factorisation of the devices into two axes (three would say more and cost more), states sharded or not; and
/// for each named plan the split of its devices that its own mesh makes, with its pipeline, schedule and savings.
std::vector<Setting> layer_settings(const Space& space, const std::vector<step::Prediction>& named);

}  // namespace dodona::search
