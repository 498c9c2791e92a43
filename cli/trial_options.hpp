// What trials run on and how they are scheduled, as options of `dodona trials` and `dodona trials run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/trial_times.hpp"
#include "trials/prediction.hpp"
#include "trials/study.hpp"

namespace dodona::cli {

/// --machine, --nodes, --cores, --slots, --gpus-per-trial, --cores-per-trial, --policy, --observed and those of drawing.
std::vector<Option> trial_options();
/// Those of predictions only: early stopping, failures, rent.
std::vector<Option> trial_prediction_options();

struct TrialResources {
    std::string machine;  ///< as typed; may be empty
    trials::Pool pool;
    std::vector<trials::Units> sizes;  ///< that a trial may take; all fit
};

/// The study of the file, with what --sampling, --count and --seed say instead.
trials::Study read_asked_study(Arguments& arguments);

TrialResources read_trial_resources(Arguments& arguments, const trials::Study& study);

/// Early stopping, failures, rent and policy; `machine`: its price is the rent's unless --price is given.
void read_prediction_settings(Arguments& arguments, const TrialResources& resources, trials::Question& question);

std::optional<trials::Policy> read_policy(Arguments& arguments);

/// Times of the trials on what they may take, with --observed.
questions::trials::Times trial_times(Arguments& arguments, const trials::Study& study, const TrialResources& resources);

}  // namespace dodona::cli
