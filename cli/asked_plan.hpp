// The one plan that `predict` and `simulate` are asked about.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "plan/plan.hpp"

namespace dodona::cli {

struct AskedPlan {
    Workload workload;
    plan::Plan plan;  ///< its framework adjusted to observed steps
};

/// Those of the job, the plan and observed steps.
std::vector<Option> asked_plan_options();

/// `known`: options and what is known of them otherwise; what is typed and what a launch script says come first.
AskedPlan read_asked_plan(Arguments& arguments, const std::vector<std::pair<std::string, std::string>>& known = {});

}  // namespace dodona::cli
