// Conclusions from the points of a report: which plan is best where, where strategies cross over, what is on the front.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "questions/report/report.hpp"

namespace dodona::questions::report {

/// A plan of a report and where it stands. Refers to the report.
struct PlacedPlan {
    const ReportStrategy* strategy = nullptr;
    const ReportPoint* point = nullptr;
    [[nodiscard]] const ReportPlan& plan() const { return *point->plan; }
};

/// Each layout once, ascending by GPUs, without unusual ones where another fits: strategies whose further axes are not in
/// use make the same one, equal in every part of its time and memory, with the name of the strategy with the fewest axes.
std::vector<PlacedPlan> layouts(const ReportScaling& scaling);

/// Answers of `dodona plan` on each number of GPUs where a plan fits, ascending.
std::vector<PlacedPlan> best_plans(const ReportScaling& scaling);

/// The plan that the report recommends: the fastest of those of best_plans on the most GPUs of which each still does at
/// least search::kWorthwhile of what one does at best. None where nothing fits.
std::optional<PlacedPlan> recommended(const ReportScaling& scaling);

/// `dodona plan` about that number of GPUs and strategy.
std::string plan_command(const ReportInputs& inputs, const PlacedPlan& placed);

/// Samples a second and GPU, over the most that any of best_plans reaches.
double efficiency(const ReportScaling& scaling, const ReportPoint& point);
/// The most samples a second and GPU of best_plans; zero where nothing fits.
double best_rate(const ReportScaling& scaling);

/// A number of GPUs on which a strategy that was the best, or as fast (search::kEqualTime), no longer is. One GPU has no strategy.
struct StrategyChange {
    PlacedPlan before;  ///< where it was the best, last
    PlacedPlan after;
    const ReportPoint* overtaken = nullptr;  ///< the strategy of `before` on the number of `after`; null: not computed
};
std::vector<StrategyChange> strategy_changes(const ReportScaling& scaling);

/// "at 128 GPUs megatron overtakes data, which takes 12 % longer there: gradient reduction +200 ms".
std::string change_text(const StrategyChange& change);

/// Costs of a sample under a plan; none where price or power is not known.
std::optional<double> money_per_sample(const ReportInputs& inputs, const ReportPoint& point);
std::optional<Energy> energy_per_sample(const ReportInputs& inputs, const ReportPoint& point);

/// Plans that no other plan beats: none has at most as many GPUs, as much memory on each and as much cost, and is at least
/// as fast, being better in one of them. Differences that mean nothing count as none. Ascending by GPUs.
std::vector<PlacedPlan> pareto_front(const ReportInputs& inputs, const ReportScaling& scaling);

/// A line of a chart: a strategy, and those whose curves differ from it by no more than search::kEqualTime.
struct Curve {
    const ReportStrategy* strategy = nullptr;
    std::vector<std::string> equal;
    std::string software;                     ///< of its plans, where those of the first curve are in another
    [[nodiscard]] std::string label() const;  ///< "zero1, zero2 (equal)", "data and 4 equal", "pipeline, megatron-2026"
};

/// The curves of a chart, the fastest of the largest numbers first: those that are best somewhere come before others,
/// and one GPU is no curve.
std::vector<Curve> charted(const ReportScaling& scaling, std::size_t most);

/// Unless strategies were asked for: without unusual plans where another fits, and without strategies that have no others.
Report without_unusual(Report report);

const ReportPoint* point_on(const std::vector<ReportPoint>& points, std::int64_t devices);

}  // namespace dodona::questions::report
