// One search on the way to an answer: does the best plan of this space meet the goals?
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "search/goal.hpp"
#include "search/search.hpp"

namespace dodona::search {

struct Attempt {
    std::int64_t value = 0;  ///< what varies: devices, or a parameter of the network
    std::int64_t devices = 0;
    std::int64_t batch = 0;
    Goals goals;  ///< that the plan is checked against
    /// The first plan of the search; where none fits, the one that needs least memory, if known.
    std::optional<step::Prediction> plan;
    std::optional<Goal> missed;  ///< none: all goals are met
    /// Where nothing fits: why `plan` does not, or else the most frequent cause. None: there is no configuration at
    /// all.
    std::variant<std::monostate, step::Infeasibility, step::InfeasibleCause> why_not;
    std::optional<TrainingRun> run;  ///< where a plan fits and the number of samples is known
    std::int64_t configurations = 0;
    bool asked = true;  ///< false: searched for comparison only

    [[nodiscard]] bool fits() const { return missed != Goal::fits; }
};

/// "out of memory: 96.0 GiB of 79.1 GiB"; "no strategy has a plan for it".
std::string why_not_text(const Attempt& attempt);

/// None if `progress` stopped the search.
std::optional<Attempt> attempt(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                               const Goals& goals, const Progress& progress);

}  // namespace dodona::search
