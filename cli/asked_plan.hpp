// The one plan that `predict` and `simulate` are asked about.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"

namespace dodona::cli {

/// Those of the job, the plan and observed steps.
std::vector<Option> asked_plan_options();

/// Its framework is adjusted to observed steps. `known`: options and what is known of them otherwise; what is typed and
/// what a launch script says come first.
questions::OnePlan read_asked_plan(Arguments& arguments,
                                   const std::vector<std::pair<std::string, std::string>>& known = {});

}  // namespace dodona::cli
