#include "cli/asked_plan.hpp"

#include <utility>

#include "cli/launch.hpp"
#include "cli/note.hpp"
#include "cli/observed.hpp"
#include "cli/plan_options.hpp"

namespace dodona::cli {

std::vector<Option> asked_plan_options() {
    std::vector<Option> all = workload_options();
    append(all, plan_options());
    all.push_back(from_option());
    all.push_back(observed_option("of this very plan"));
    return all;
}

questions::OnePlan read_asked_plan(Arguments& arguments,
                                   const std::vector<std::pair<std::string, std::string>>& known) {
    const std::string network = take_launch(arguments);
    for (const auto& [option, value] : known) {
        arguments.give(option, value);
    }
    const PlanSettings settings = read_plan_settings(arguments);
    const questions::ObservedOptions observed = read_observed(arguments);
    Workload workload = read_workload(arguments, network);
    plan::Plan plan = plan_of(arguments, settings, workload);
    if (observed.any()) {
        const questions::ObservedRuns found = questions::observed_runs(observed, workload, plan);
        print_notes(found.notes);
        plan.framework = questions::anchored(plan.framework, found.runs, workload, plan);
    }
    return {std::move(workload), std::move(plan)};
}

}  // namespace dodona::cli
