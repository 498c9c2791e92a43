// Steps that the user has measured: they move the parameters of a framework.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "questions/workload.hpp"
#include "search/answer.hpp"
#include "search/search.hpp"
#include "validate/anchors.hpp"

namespace dodona::questions {

/// The time of one step, or a table of runs; neither: nothing was observed.
struct ObservedOptions {
    std::optional<Seconds> step;
    std::string table;
    [[nodiscard]] bool any() const { return step || !table.empty(); }
};

struct ObservedRuns {
    std::vector<validate::ObservedRun> runs;
    Notes notes;  ///< what is odd about them, or left out
};

/// The step of `observed_plan`, or the runs of the table. Throws InputError where a plan cannot have run or no run of the
/// table can be asked.
ObservedRuns observed_runs(const ObservedOptions& options, const Workload& workload, const plan::Plan& observed_plan);

/// The framework for this plan, moved to what was observed: a plan that was observed itself takes the mean (of logarithms)
/// of its measured steps, another as much of their errors as the two have in common.
plan::Framework anchored(const plan::Framework& framework, const std::vector<validate::ObservedRun>& runs,
                         const Workload& workload, const plan::Plan& plan);

/// Each software, moved to the runs that were measured in it, for a job; all to all runs where none was.
std::vector<search::Software> moved_to_observed(std::vector<search::Software> software,
                                                const std::vector<validate::ObservedRun>& runs,
                                                const step::RunKind& job);

/// Predicts each plan of the answer again with its own of the software `before` moved for its own layout, as `dodona
/// predict --observed` does, and ranks them by that.
search::Answer ranked_as_observed(const Workload& workload, const std::vector<search::Software>& before,
                                  const std::vector<validate::ObservedRun>& runs, search::Answer answer);

}  // namespace dodona::questions
