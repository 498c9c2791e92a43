// The charts of a report.
#pragma once

#include <optional>

#include "reports/collect/report.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// Strategies in one chart: as many as there are colours.
inline constexpr std::size_t kMaxCharted = 6;

/// Throughput over GPUs: the strategies, the ideal line, and what was measured with their batch.
Chart scaling_chart(const Report& report, const ReportScaling& scaling);

/// Parts of the step of the fastest plan, as shares, over GPUs.
Chart time_shares_chart(const ReportScaling& scaling);

/// Memory of the fullest device of the fastest plan over GPUs, with its capacity.
Chart memory_chart(const ReportScaling& scaling);

/// Throughput over GPUs of the plans that are on the front, and of the others.
Chart front_chart(const ReportInputs& inputs, const ReportScaling& scaling);

TimelineChart step_timeline(const ReportTimeline& timeline);

/// Tokens of a sample; none where the network reads none.
std::optional<double> tokens_of_sample(const ReportScaling& scaling);

/// In tokens where a sample has them.
Rate throughput_rate(double samples, const std::optional<double>& tokens_of_sample);

/// The throughput of a plan: tokens where the network has them, else samples; with its interval.
Cell throughput_cell(const ReportPoint& point);

}  // namespace dodona::reports
