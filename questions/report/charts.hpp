// The charts of a report.
#pragma once

#include <optional>
#include <string>

#include "questions/report/report.hpp"
#include "reports/document/document.hpp"

namespace dodona::questions::report {

/// Strategies in one chart: as many as there are colours.
inline constexpr std::size_t kMaxCharted = 6;

/// Throughput over GPUs: the strategies, the ideal line, and what was measured with their batch.
reports::Chart scaling_chart(const Report& report, const ReportScaling& scaling);

/// An amount of training, for costs.
struct AmountOfWork {
    double samples = 0;
    std::string text;  ///< "a billion tokens"
};
/// A billion tokens, or a million samples where the network reads none.
AmountOfWork amount_of_work(const ReportScaling& scaling);

/// GPU-hours of an amount of work under a plan.
double gpu_hours(const ReportPoint& point, const AmountOfWork& work);

/// Cost of the work with each strategy, over GPUs: money where a price is known, else GPU-hours.
reports::Chart cost_chart(const ReportInputs& inputs, const ReportScaling& scaling);

/// GPU-hours of the work under the fastest plan by parts of the step, over GPUs: flat where it scales, and what grows is
/// what stops it.
reports::Chart time_parts_chart(const ReportScaling& scaling);

/// Interval of the step of the fastest plan, and what was measured, over what is predicted.
reports::Chart certainty_chart(const Report& report, const ReportScaling& scaling);

/// Memory of the fullest device of the fastest plan over GPUs, with its capacity.
reports::Chart memory_chart(const ReportScaling& scaling);

/// Throughput over GPUs of the plans that are on the front, and of the others.
reports::Chart front_chart(const ReportInputs& inputs, const ReportScaling& scaling);

reports::TimelineChart step_timeline(const ReportTimeline& timeline);

/// Tokens of a sample; none where the network reads none.
std::optional<double> tokens_of_sample(const ReportScaling& scaling);

/// In tokens where a sample has them.
reports::Rate throughput_rate(double samples, const std::optional<double>& tokens_of_sample);

/// The throughput of a plan: tokens where the network has them, else samples; with its interval.
reports::Cell throughput_cell(const ReportPoint& point);

}  // namespace dodona::questions::report
