// What a study takes on some nodes: its schedule under every policy, what is left of it by early stopping, what failures
// add, and what it costs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/enumeration.hpp"
#include "base/estimate.hpp"
#include "trials/early_stopping.hpp"
#include "trials/failures.hpp"
#include "trials/moldable.hpp"
#include "trials/schedule.hpp"
#include "trials/space.hpp"

namespace dodona::trials {

/// Where a trial's time comes from.
enum class TimeSource { model, expression, observed, scaled };
inline constexpr std::array kTimeSourceTable{
    Enumerator(TimeSource::model, "model", "predicted from the network and the machine"),
    Enumerator(TimeSource::expression, "expression", "the study's own expression"),
    Enumerator(TimeSource::observed, "observed", "mean of observed trials with these settings"),
    Enumerator(TimeSource::scaled, "scaled", "predicted, times the median of observed over predicted")};
constexpr const auto& enumerators(TimeSource /*type*/) { return kTimeSourceTable; }
constexpr std::string_view name(TimeSource source) { return name_of(source); }

/// One way to run a trial.
struct Choice {
    Units units;
    Estimate time;
    TimeSource source = TimeSource::expression;
};

struct Trial {
    Settings settings;
    std::vector<Choice> choices;  ///< of all trials on the same units, in the same order; at least one, and all fit
};

/// Rent of the pool from the first start to the last end.
struct Rent {
    MoneyPerSecond pool;
    std::string currency;
};

struct Question {
    std::vector<Trial> trials;  ///< at least one
    Pool pool;
    std::optional<Policy> policy;  ///< none: the one with the shortest makespan, of equals the first
    std::optional<EarlyStopping> stopping;
    std::optional<Failures> failures;
    std::optional<Rent> rent;
};

/// A schedule under another policy, or with all trials on the same units.
struct Alternative {
    Policy policy = Policy::fifo;
    Units units;
    Seconds makespan;
    double utilisation = 0;
};

struct Prediction {
    Policy policy = Policy::fifo;
    std::vector<std::size_t> chosen;  ///< of each trial, the index of its choice
    std::vector<Job> jobs;
    Schedule schedule;
    Estimate makespan;  ///< its ends: all trials at the ends of their intervals
    Bounds bounds;
    Seconds lower;  ///< no choice and no schedule is shorter
    std::vector<Alternative> policies;
    std::vector<Alternative> widths;  ///< all trials on the same units; empty: there is one choice
    std::optional<StoppedTrials> stopped;
    std::optional<ExpectedSchedule> failing;
    std::optional<Money> cost;
};

Prediction predict(const Question& question);

}  // namespace dodona::trials
