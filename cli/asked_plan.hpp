// The one plan that `predict` and `simulate` are asked about.
#pragma once

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

AskedPlan read_asked_plan(Arguments& arguments);

}  // namespace dodona::cli
