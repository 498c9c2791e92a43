// The report of `dodona trials run`: what was measured beside what was predicted.
#pragma once

#include <string>
#include <vector>

#include "reports/document/document.hpp"
#include "runner/run_study.hpp"
#include "trials/forecast.hpp"

namespace dodona::reports {

/// The attempts as runs of a schedule.
std::vector<trials::TrialRun> runs_of(const runner::StudyDone& done);

/// A row for each attempt, which `--observed` reads.
std::string trials_csv(const runner::StudyRun& run, const runner::StudyDone& done);

/// `forecast`: what was predicted of the whole study; null: nothing was.
Document trials_run_document(const std::string& study, const runner::StudyRun& run, const runner::StudyDone& done,
                             const trials::Forecast* forecast);

}  // namespace dodona::reports
