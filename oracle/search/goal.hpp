// Goals of a training run, and whether a plan meets them.
//
//   time = samples / (samples a second)        cost = devices * price of one * time
//
// Not modelled: restarts, evaluation, checkpoints, nodes that are billed but idle.
#pragma once

#include <array>
#include <optional>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "cluster/price.hpp"
#include "step/prediction.hpp"

namespace dodona::search {

struct Goals {
    std::optional<double> samples;             ///< of the whole run
    std::optional<Seconds> deadline;           ///< of the whole run; needs `samples`
    std::optional<double> samples_per_second;  ///< of all devices together
    std::optional<Money> budget;               ///< of the whole run; needs `samples` and a price

    [[nodiscard]] bool any() const { return deadline || samples_per_second || budget; }
};

/// A training run under one plan.
struct TrainingRun {
    double samples = 0;
    Estimate time;
    Seconds device_time;         ///< of all devices together
    std::optional<Money> money;  ///< where a price is known
};

/// The run of `samples` samples; the last step counts in part.
TrainingRun run_of(const step::Prediction& prediction, double samples, const std::optional<cluster::Price>& price);

enum class Goal { fits, throughput, deadline, budget };
inline constexpr std::array kGoalTable{Enumerator(Goal::fits, "memory", "a plan fits into memory"),
                                       Enumerator(Goal::throughput, "throughput", "so many samples a second"),
                                       Enumerator(Goal::deadline, "deadline", "the work is done in time"),
                                       Enumerator(Goal::budget, "budget", "the work costs no more")};
constexpr const auto& enumerators(Goal /*type*/) { return kGoalTable; }
inline std::string_view name(Goal goal) { return name_of(goal); }

/// The first goal that the plan misses; none if it meets all. A plan that does not fit misses `fits`.
std::optional<Goal> missed(const Goals& goals, const step::Prediction& prediction,
                           const std::optional<cluster::Price>& price);

}  // namespace dodona::search
