// Ranked plans compared with the first of them, once for all formats.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/answer.hpp"

namespace dodona::questions::plans {

struct RankedPlan {
    std::size_t rank = 1;
    const step::Prediction* plan = nullptr;
    double first_is_faster = 0.5;      ///< probability; of no meaning for the first
    bool tied = false;                 ///< not distinguishable from the first
    std::optional<Seconds> simulated;  ///< its step, where that ranks plans

    /// As simulated, else in closed form.
    [[nodiscard]] Seconds step() const { return simulated.value_or(plan->step.value); }
};

struct Ranking {
    std::vector<RankedPlan> plans;
    std::vector<std::vector<std::size_t>> ties;  ///< search::ties
};

/// Refers to `plans`. `simulated`: steps of the first plans as they were simulated.
Ranking ranking_of(const std::vector<step::Prediction>& plans, const std::vector<Seconds>& simulated = {});

}  // namespace dodona::questions::plans
