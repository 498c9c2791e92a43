// --rollout: post-training whose samples a step generates, with GPUs divided between training and generation.
#pragma once

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"

namespace dodona::cli {

Option rollout_option();

/// Gives --rollout the words of a launch script whose names were not typed, and --gpus those of its generation beside those
/// of its training. `script`: the arguments with what the script says.
void take_rollout(Arguments& arguments, const Arguments& script);

/// Answers `plan --rollout`.
int run_rollout(Arguments& arguments, Workload workload);

}  // namespace dodona::cli
