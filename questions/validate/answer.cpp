#include <map>

#include "questions/described.hpp"
#include "questions/validate/validate.hpp"

namespace dodona::files {

using questions::computed;
using validate::Comparison;
using validate::FitCounts;
using validate::RunResult;
using validate::Statistics;

namespace {

using PartTimes = std::map<step::TimePart, std::optional<Seconds>>;

const KeyOptions kErrorSize{.range = kNotNegative};

/// An end or the middle of the predicted interval; none of a run that was refused.
std::optional<Seconds> predicted_time(const RunResult& run, Seconds Estimate::*which) {
    return run.predicted ? std::optional((*run.predicted).*which) : std::nullopt;
}

PartTimes part_times(const RunResult& run) {
    PartTimes parts;
    for (const auto& row : step::kTimePartTable) {
        parts[row.value] = run.predicted ? std::optional(run.time[row.value]) : std::nullopt;
    }
    return parts;
}

}  // namespace

template <>
const Description& description<validate::Share>() {
    using validate::Share;
    static const Description described{
        .keys = {required<&Share::rows>("rows", "runs with an error", {.range = kNotNegative}),
                 required<&Share::mape>("mape", "", kErrorSize)}};
    return described;
}

template <>
const Description& description<FitCounts>() {
    const KeyOptions counted{.range = kNotNegative};
    static const Description described{.keys = {required<&FitCounts::ran_fits>("ran_fits", "", counted),
                                                required<&FitCounts::ran_not>("ran_not", "", counted),
                                                required<&FitCounts::oom_fits>("oom_fits", "", counted),
                                                required<&FitCounts::oom_not>("oom_not", "", counted)}};
    return described;
}

template <>
const Description& description<Statistics>() {
    static const Description described{
        .noun = "statistics",
        .keys = {
            required<&Statistics::group>("group", ""),
            required<&Statistics::rows>("rows", "runs predicted", {.range = kNotNegative}),
            required<&Statistics::skipped>("skipped", "runs refused", {.range = kNotNegative}),
            required<&Statistics::mape>("mape", "mean of |error|", kErrorSize),
            required<&Statistics::median_ape>("median_ape", "median of |error|", kErrorSize),
            required<&Statistics::bias>("bias", "mean of error"),
            required<&Statistics::p90>("p90", "90th percentile of |error|", kErrorSize),
            required<&Statistics::coverage>("coverage", "share of measured times in the interval", {.range = kShare}),
            required<&Statistics::pair_accuracy>("pair_accuracy",
                                                 "share of pairs of plans for one job that are ordered as measured; "
                                                 "predictions that are equal count half",
                                                 {.range = kShare}),
            required<&Statistics::top1_regret>(
                "top1_regret", "mean over jobs of measured time of the plan predicted best / best measured time - 1",
                kErrorSize),
            required<&Statistics::memory_mape>("memory_mape", "mean of |predicted / measured - 1| of peak memory",
                                               kErrorSize),
            required<&Statistics::compute_mape>("compute_mape",
                                                "mean of |predicted / measured - 1| of computation alone", kErrorSize),
            required<&Statistics::communication_mape>(
                "communication_mape", "mean of |predicted / measured - 1| of communication alone", kErrorSize),
            required<&Statistics::fit>("fit",
                                       "runs that did fit (ran) or did not (oom), by whether they are predicted to"),
            required<&Statistics::stated>("stated", "runs of which everything is known"),
            required<&Statistics::assumed>("assumed", "runs of which something had to be assumed")}};
    return described;
}

template <>
const Description& description<RunResult>() {
    static const Description described{
        .keys = {
            required<&RunResult::id>("id", ""), required<&RunResult::group>("group", ""),
            computed("predicted", "", [](const RunResult& run) { return predicted_time(run, &Estimate::value); }),
            computed("lo", "", [](const RunResult& run) { return predicted_time(run, &Estimate::lo); }),
            computed("hi", "", [](const RunResult& run) { return predicted_time(run, &Estimate::hi); }),
            required<&RunResult::measured>("measured", ""),
            required<&RunResult::error>("error", "predicted / measured - 1", {.range = at_least(-1)}),
            required<&RunResult::fits>("fits", "is it predicted to fit the memory of a device"),
            required<&RunResult::ran>("ran", "did it fit when it was measured"),
            required<&RunResult::assumed>("assumed", "something had to be assumed to ask it"),
            required<&RunResult::predicted_memory>("predicted_memory", ""),
            required<&RunResult::measured_memory>("measured_memory", ""),
            optional<&RunResult::refusal>("refused", "why the run cannot be predicted"),
            computed("time", "exposed parts of the predicted time, which add up to it; null of a run that was refused",
                     [](const RunResult& run) { return part_times(run); })}};
    return described;
}

template <>
const Description& description<Comparison>() {
    static const Description described{
        .noun = "validate",
        .summary = "Errors are fractions, times seconds; what there is nothing to say about is null.",
        .keys = {required<&Comparison::groups>("groups", ""), required<&Comparison::overall>("overall", ""),
                 required<&Comparison::rows>("rows", "of the table; refused runs have their id, group and reason only",
                                             {.rows = true})}};
    return described;
}

}  // namespace dodona::files
