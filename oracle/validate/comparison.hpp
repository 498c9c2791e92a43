// Predicted against measured: every run of a table, or the reason why it cannot be asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/estimate.hpp"
#include "files/run_table.hpp"
#include "step/prediction.hpp"
#include "validate/questions.hpp"

namespace dodona::validate {

struct RunResult {
    std::string id;
    std::string group;
    std::string refusal;  ///< why the run cannot be asked; empty: it was predicted
    /// Of what the measured time covers.
    std::optional<Estimate> predicted;
    std::optional<Seconds> measured;
    std::optional<double> error;  ///< predicted / measured - 1
    step::TimeParts time;         ///< exposed parts that add up to the predicted time
    std::optional<Seconds> measured_compute, measured_communication;  ///< where the table has them apart
    std::optional<bool> fits;                                         ///< predicted
    std::optional<bool> ran;  ///< measured: false where it did not fit; nothing where the row does not say
    bool assumed = false;     ///< the row says that something had to be assumed to ask it
    std::optional<Bytes> predicted_memory;  ///< of what the measured memory covers, or of the process where it ran out
    std::optional<Bytes> measured_memory;
    std::string job;     ///< everything but the plan: runs of one job may be ranked among each other
    std::string layout;  ///< the plan, as the row says it

    [[nodiscard]] Seconds compute() const;        ///< predicted: kernels, the update included
    [[nodiscard]] Seconds communication() const;  ///< predicted, exposed: collectives and transfers
};

/// Runs by whether they did fit, and whether they are predicted to.
struct FitCounts {
    std::int64_t ran_fits = 0;
    std::int64_t ran_not = 0;   ///< it ran, predicted not to fit
    std::int64_t oom_fits = 0;  ///< it ran out of memory, predicted to fit
    std::int64_t oom_not = 0;
    [[nodiscard]] std::int64_t total() const { return ran_fits + ran_not + oom_fits + oom_not; }
};

/// The error of some runs of a group.
struct Share {
    std::int64_t rows = 0;  ///< with an error
    std::optional<double> mape;
};

/// Of a group of runs. Ratios, not percent.
struct Statistics {
    std::string group;
    std::int64_t rows = 0;                ///< predicted
    std::int64_t skipped = 0;             ///< refused
    std::optional<double> mape;           ///< mean of |error|
    std::optional<double> median_ape;     ///< median of |error|
    std::optional<double> bias;           ///< mean of error
    std::optional<double> p90;            ///< 90th percentile of |error|
    std::optional<double> coverage;       ///< share of measured times inside the interval
    std::optional<double> pair_accuracy;  ///< share of pairs of plans for one job that are ordered as measured
    std::optional<double> top1_regret;  ///< mean over jobs: how much longer the best predicted plan took than the best
    std::optional<double> memory_mape;  ///< mean of |predicted / measured - 1| of peak memory
    std::optional<double> compute_mape, communication_mape;  ///< the same of the parts, where they were measured
    FitCounts fit;
    Share stated;   ///< runs of which everything is known
    Share assumed;  ///< runs of which something had to be assumed
};

struct Comparison {
    std::vector<Statistics> groups;  ///< in the order of the table
    Statistics overall;
    std::vector<RunResult> rows;  ///< in the order of the table
    std::int64_t anchors = 0;     ///< runs that frameworks were adjusted to, and that are not compared
};

/// Told how many of all runs are done; false stops: what is finished is compared.
using Progress = std::function<bool(std::int64_t done, std::int64_t all)>;

/// A run that is of no table, with its question. Throws InputError where the plan cannot be laid.
RunResult compared(const files::MeasuredRun& run, const Question& question);

/// Statistics over groups of results, in the order of their first members.
Comparison summarised(std::vector<RunResult> rows);

/// `anchors`: of each user, that many runs adjust its frameworks (validate/anchors.hpp); the others are compared.
Comparison compare(const std::vector<files::MeasuredRun>& runs, Questions& questions, const Progress& progress,
                   std::size_t anchors = 0);

}  // namespace dodona::validate
