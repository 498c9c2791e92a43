// The answer of `dodona report` as a value: a sweep over numbers of GPUs, and the recommended plan in detail. Everything in it
// can be written to a record and read back, so that a report is made again, in another format, without
// computing anything, and two of them can be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/estimate.hpp"
#include "base/quantity.hpp"
#include "files/description.hpp"
#include "questions/goals.hpp"
#include "questions/growth.hpp"
#include "questions/question.hpp"
#include "reports/document/document.hpp"
#include "reports/document/record.hpp"
#include "step/prediction.hpp"

namespace dodona::questions::report {

Heading heading();

struct Options {
    GrowthOptions growth;
    GoalOptions goals;           ///< a price
    std::optional<Power> power;  ///< of one device while it trains
};

/// The plan that a search recommends on a number of GPUs.
struct ReportPlan {
    std::string mesh;           ///< "tensor 8, data 16, pipeline 8"
    std::string details;        ///< "micro-batch 1 x 96, 1f1b, full recompute, ZeRO-1"
    std::string software = {};  ///< "megatron-2024": whose step it is
    Estimate step;
    double samples_per_second = 0;
    std::optional<double> tokens_per_second;
    double mfu = 0;
    step::TimeParts time;      ///< exposed, adds up to the step
    step::MemoryParts memory;  ///< of the device that is filled most
    Bytes memory_limit;        ///< of that device
    std::vector<std::string> bottlenecks;
    std::vector<std::string> unusual;  ///< why it is not considered; empty: it is
};

struct ReportPoint {
    std::string strategy;  ///< of the plan, or of what was searched; empty: of all strategies none fits
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    std::optional<ReportPlan> plan;  ///< none: nothing fits
    std::string why_not;             ///< where nothing fits
};

/// A strategy on all numbers of GPUs that were asked about.
struct ReportStrategy {
    std::string name;
    std::int64_t most = 1;            ///< GPUs of the machine that it can use
    std::string set_by;               ///< what sets that
    std::int64_t axes = 0;            ///< of its mesh, and folds: how much there is to set up
    std::vector<ReportPoint> points;  ///< ascending; those that were computed
};

/// Growth of the batch with the GPUs, and what the strategies do then.
struct ReportScaling {
    std::optional<std::int64_t> batch;  ///< strong scaling: samples of a step
    std::int64_t batch_per_gpu = 1;     ///< weak scaling
    std::vector<ReportStrategy> strategies;
    std::vector<ReportPoint>
        answers;  ///< ascending, those computed: of all strategies together, as `dodona plan` answers
};

/// A run of the table of measured runs, and its own plan predicted.
struct ReportMeasured {
    std::string id;
    std::string strategy;
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    Seconds measured;
    Estimate predicted;  ///< of what the measured time covers
};

/// Cells as texts: a table that is shown as it is.
struct ReportTable {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};

/// Sensitivity of the recommendation.
struct ReportSensitivity {
    std::vector<std::string> sentences;
    ReportTable table;
    std::vector<std::string> notes;
};

/// A task on a stage of the pipeline.
struct ReportBar {
    std::int64_t stage = 0;
    std::string component;  ///< of component_colours.hpp
    std::string label;      ///< "forward 3"
    Seconds start;
    Seconds duration;
};

/// One simulated step of the recommended plan.
struct ReportTimeline {
    std::vector<std::int64_t> stages;  ///< shown, from 1; bars name them by their place here
    std::int64_t all_stages = 1;
    Seconds end;
    std::vector<ReportBar> bars;
    std::vector<std::string> notes;
};

/// The recommended plan in detail.
struct ReportBest {
    std::int64_t devices = 1;
    std::string strategy;
    std::vector<std::string> evidence;
    std::optional<ReportSensitivity> sensitivity;
    std::optional<ReportTimeline> timeline;
};

struct ReportSetting {
    std::string option;
    std::string value;
};

struct ReportInputs {
    std::string model;
    std::string machine;
    std::string device;
    std::int64_t machine_gpus = 1;
    std::string precision;
    std::string model_source;
    std::string machine_source;
    std::string version;  ///< of dodona
    double parameters = 0;
    std::vector<ReportSetting> settings;  ///< options that change what is computed, as given
    std::vector<std::int64_t> counts;     ///< of GPUs
    std::optional<double> price_per_gpu_hour;
    std::string currency;
    std::optional<double> power_per_gpu_w;
    std::string measured_from;             ///< first day of the machine's measurements, ISO 8601; empty: none
    std::string measured_to;               ///< last day
    std::vector<std::string> assumptions;  ///< what the user did not say
};

struct Report {
    ReportInputs inputs;
    std::vector<ReportScaling> scalings;  ///< one at least; the first is what the recommendation is of
    std::vector<ReportMeasured> measured;
    std::vector<std::string> measured_notes;  ///< runs that are not shown, and why
    std::optional<ReportBest> best;           ///< none: nothing fits, or it was stopped before
    bool complete = true;                     ///< false: stopped; `dodona report --resume` continues
    bool thinned = false;                     ///< true: numbers of GPUs were left out to keep a page small
};

inline constexpr std::string_view kReportSchema = "dodona/report/1";

reports::Record report_record(const Report& report);

/// A record a point: for tables.
std::vector<reports::Record> point_rows(const Report& report);

/// `name`: of the file that the record was read from, for messages. Throws InputError where it is no report of this version,
/// naming every key that is missing, of another type or unknown.
Report report_from(const reports::Record& record, const std::string& name);

/// A point by itself, and back: what ranks of a sweep send each other. Throws InputError as report_from does.
reports::Record point_record(const ReportPoint& point);
ReportPoint point_from(const reports::Record& record, const std::string& name);

reports::Document document(const Report& report);

}  // namespace dodona::questions::report

namespace dodona::files {

template <>
const Description& description<questions::report::Report>();
template <>
const Description& description<questions::report::ReportPoint>();

}  // namespace dodona::files
