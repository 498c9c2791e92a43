// Selects and orders the plans that are shown.
#pragma once

#include <vector>

#include "search/mesh_layouts.hpp"
#include "search/simplicity.hpp"
#include "search/variant.hpp"

namespace dodona::search {

/// A candidate as a plan.
plan::Plan plan_of(const Space& space, const std::vector<MeshLayout>& layouts, const Candidate& candidate);

/// Ranked candidates, and how many of them were equally fast.
struct Ranked {
    std::vector<Candidate> plans;
    std::int64_t equally_fast = 0;
};

/// One plan of each layout_key: the simplest within kEqualTime of the fastest of all or, if none is, of the fastest of
/// its key. First the simplest of those that are equally fast as the fastest of all, then the others by time. Plans of
/// several strategies with equal time and memory are one plan and listed once.
Ranked ranked(const Space& space, const std::vector<MeshLayout>& layouts, const std::vector<Candidate>& candidates);

/// Order of plans in full as if all were in use; `domain`: Cluster::fast_domain.
void order(std::vector<step::Prediction>& plans, std::int64_t domain, double reserve);

/// Places of plans that were timed again: by these times, but of those that are as fast as the fastest (kEqualTime) the one
/// that stood first stays first.
std::vector<std::size_t> ranked_again(const std::vector<Seconds>& times);

}  // namespace dodona::search
