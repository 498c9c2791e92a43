// How long each trial of a study takes on what it may run on: observed, by the study's expression, or predicted.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "files/trial_table.hpp"
#include "trials/forecast.hpp"
#include "trials/study.hpp"

namespace dodona::cli {

struct TrialTimes {
    const trials::Study& study;
    std::vector<trials::Settings> trials;
    std::vector<trials::Units> sizes;  ///< that each trial may take
    std::string machine;               ///< of a study with a model; as typed, may be empty
    std::vector<files::ObservedTrial> observed;
};

/// Trials without any time have none: whoever needs one says so. Throws InputError for what cannot be evaluated.
std::vector<trials::Trial> timed_trials(Arguments& arguments, const TrialTimes& question);

/// Whether something says how long trials take.
bool has_times(const TrialTimes& question);

}  // namespace dodona::cli
