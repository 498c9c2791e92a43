// Steps that the user has measured, as --observed gives them: they move the parameters of a framework.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "plan/plan.hpp"
#include "search/answer.hpp"
#include "validate/anchors.hpp"

namespace dodona::cli {

/// What --observed says before anything is read: the time of one step, a log with them, or a table of runs.
struct ObservedSettings {
    std::optional<Seconds> step;
    std::string table;
    std::string log;  ///< of training, whose steps are the time; empty: none
    [[nodiscard]] bool any() const { return step || !table.empty(); }
};

/// `of`: which plan a bare time is the step of.
Option observed_option(const std::string& of);

ObservedSettings read_observed(Arguments& arguments);

/// The step of `observed_plan`, or the runs of the table. Throws InputError where a plan cannot have run or no run of the
/// table can be asked.
std::vector<validate::ObservedRun> observed_runs(const ObservedSettings& settings, const Workload& workload,
                                                 const plan::Plan& observed_plan);

/// The framework for this plan, moved to what was observed: all of an observed plan's own error, and of another's as much as
/// the two are alike.
plan::Framework anchored(const plan::Framework& framework, const std::vector<validate::ObservedRun>& runs,
                         const graph::Graph& graph, const plan::Plan& plan);

/// Moves each software to the runs that were measured in it, for a job; all to all runs where none was.
void move_to_observed(std::vector<search::Software>& software, const std::vector<validate::ObservedRun>& runs,
                      const step::RunKind& job);

/// Predicts each plan of the answer again with its own of the software `before` moved for its own layout, as `dodona
/// predict --observed` does, and ranks them by that.
void rank_as_observed(const Workload& workload, const std::vector<search::Software>& before,
                      const std::vector<validate::ObservedRun>& runs, search::Answer& answer);

}  // namespace dodona::cli
