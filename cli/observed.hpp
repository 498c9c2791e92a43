// Steps that the user has measured, as --observed gives them: they move the parameters of a framework.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "plan/plan.hpp"
#include "step/likeness.hpp"

namespace dodona::cli {

/// What --observed says before anything is read: the time of one step, a log with them, or a table of runs.
struct ObservedSettings {
    std::optional<Seconds> step;
    std::string table;
    std::string log;  ///< of training, whose steps are the time; empty: none
    [[nodiscard]] bool any() const { return step || !table.empty(); }
};

/// The run whose step or log --observed gives (step::RunKind::id).
inline constexpr const char* kObservedRun = "--observed";

/// `of`: which plan a bare time is the step of.
Option observed_option(const std::string& of);

ObservedSettings read_observed(Arguments& arguments);

/// The framework for `asked_about`, moved to the step of `observed_plan` or to the runs of the table. Throws InputError
/// where a plan does not fit or no run of the table can be asked.
plan::Framework anchored(const plan::Framework& framework, const ObservedSettings& settings, const Workload& workload,
                         const plan::Plan& observed_plan, const step::RunKind& asked_about);

}  // namespace dodona::cli
