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
    Seconds step;                  ///< as played where that ranks plans, else in closed form
};

struct Ranking {
    std::vector<RankedPlan> plans;
    std::vector<std::vector<std::size_t>> ties;  ///< search::ties
};

/// Refers to `plans`. `played`: steps of the first plans as they were played.
Ranking ranking_of(const std::vector<step::Prediction>& plans, const std::vector<Seconds>& played = {});

}  // namespace dodona::reports
