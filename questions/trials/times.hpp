// Times of the trials of a study on what they may run on: observed, by the study's expression, or predicted.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/estimate.hpp"
#include "files/trial_table.hpp"
#include "trials/prediction.hpp"
#include "trials/study.hpp"

namespace dodona::questions::trials {

/// The study's network on some GPUs: parameters of its file, the batch of all GPUs together.
struct StepOfTrial {
    std::vector<std::pair<std::string, std::string>> parameters;
    std::int64_t batch = 1;
    std::int64_t gpus = 1;
    std::strong_ordering operator<=>(const StepOfTrial&) const = default;
};

/// The time of a step. `trial`: its settings, for faults. Throws InputError where it cannot run.
using StepTime = std::function<Estimate(const StepOfTrial& step, const std::string& trial)>;

struct Times {
    const dodona::trials::Study& study;
    std::vector<dodona::trials::Settings> trials;
    std::vector<dodona::trials::Units> sizes;  ///< that each trial may take
    std::vector<files::ObservedTrial> observed;
    StepTime step;  ///< of a study with a model
};

/// Whether something says how long trials take.
bool has_times(const Times& times);

/// Trials without any time have none: the caller that needs one says so. Throws InputError for what cannot be evaluated.
std::vector<dodona::trials::Trial> timed_trials(const Times& times);

}  // namespace dodona::questions::trials
