// Selects and orders the plans that are shown.
#pragma once

#include <vector>

#include "search/mesh_layouts.hpp"
#include "search/variant.hpp"

namespace dodona::search {

/// A candidate as a plan.
plan::Plan plan_of(const Space& space, const std::vector<MeshLayout>& layouts, const Candidate& candidate);

/// The fastest plan of each layout_key, fastest first; of plans within kEqualTime of the fastest one left, the simplest
/// comes first. Plans of several strategies with equal time and memory are one plan and listed once.
std::vector<Candidate> ranked(const Space& space, const std::vector<MeshLayout>& layouts,
                              const std::vector<Candidate>& candidates);

}  // namespace dodona::search
