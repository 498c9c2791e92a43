// Ranked plans compared with the first of them, once for all formats.
#pragma once

#include <cstddef>
#include <vector>

#include "search/answer.hpp"

namespace dodona::reports {

struct RankedPlan {
    const step::Prediction* plan = nullptr;
    double first_is_faster = 0.5;  ///< probability; of no meaning for the first
    bool tied = false;             ///< not distinguishable from the first
};

struct Ranking {
    std::vector<RankedPlan> plans;
    std::vector<std::vector<std::size_t>> ties;  ///< search::ties
};

/// Refers to `plans`.
Ranking ranking_of(const std::vector<step::Prediction>& plans);

}  // namespace dodona::reports
