// Trials that were run: measured and predicted times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/document/document.hpp"
#include "runner/run_study.hpp"
#include "trials/prediction.hpp"

namespace dodona::questions::trials {

struct RunAnswer {
    std::string study;
    runner::StudyRun run;
    runner::StudyDone done;
    std::optional<dodona::trials::Prediction> prediction;  ///< of the whole study; none: nothing was predicted
};

/// The attempts as runs of a schedule.
std::vector<dodona::trials::TrialRun> runs_of(const runner::StudyDone& done);

/// Trials with a result, the best first.
std::vector<std::size_t> ranked(const RunAnswer& answer);

bool is_stopped_early(const RunAnswer& answer, std::size_t trial);

/// Median of |predicted / measured - 1| over the trials that finished; none: nothing was predicted, or none finished.
std::optional<double> median_error(const RunAnswer& answer);

/// A row for each attempt, which `--observed` reads.
std::string trials_csv(const runner::StudyRun& run, const runner::StudyDone& done);

reports::Document document(const RunAnswer& answer);

}  // namespace dodona::questions::trials
