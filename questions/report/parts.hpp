// Answers of the oracle as parts of a report.
#pragma once

#include <vector>

#include "play/simulated_step.hpp"
#include "questions/report/report.hpp"
#include "search/explanation.hpp"
#include "search/sweep.hpp"

namespace dodona::questions::report {

/// `strategies`: those that were searched.
ReportPoint report_point(const search::ScalingPoint& point, const std::vector<plan::Strategy>& strategies);

/// All but the points.
ReportStrategy report_strategy(const search::StrategyLimits& reach);

ReportSensitivity report_sensitivity(const search::Explanation& explanation, const step::Prediction& best);

/// At most kMaxBars tasks, so that a page stays small: of long pipelines some stages, of many micro-batches the first and
/// the last. The notes say what is left out.
inline constexpr std::size_t kMaxBars = 1500;
ReportTimeline report_timeline(const play::SimulatedStep& step);

/// Sources of its numbers, and what was assumed.
ReportBest report_best(const step::Prediction& best);

/// The report on at most that many numbers of GPUs, marked as thinned: the first, the last and the recommended one are kept, the
/// others are a constant factor apart, as on the axes of its charts.
Report thinned(const Report& report, std::size_t most);

}  // namespace dodona::questions::report
