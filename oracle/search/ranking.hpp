// Which of the plans that fit are shown, and in which order.
#pragma once

#include <vector>

#include "search/mesh_layouts.hpp"
#include "search/variant.hpp"

namespace dodona::search {

/// A candidate as a plan.
plan::Plan plan_of(const Space& space, const std::vector<MeshLayout>& layouts, const Candidate& candidate);

/// The fastest of each layout (layout_key), fastest first; among plans within 0.5 % of the fastest left, the simplest.
/// A plan that another strategy describes with the same time and memory is the same plan and is there once.
std::vector<Candidate> ranked(const Space& space, const std::vector<MeshLayout>& layouts,
                              const std::vector<Candidate>& candidates);

}  // namespace dodona::search
