#include "reports/collect/report_charts.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "reports/collect/plan_summary.hpp"
#include "reports/collect/report_analysis.hpp"
#include "reports/collect/report_measured.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

std::vector<Cell> count_cells(const std::vector<std::int64_t>& counts) {
    std::vector<Cell> cells;
    for (const std::int64_t count : counts) {
        cells.emplace_back(Count{count});
    }
    return cells;
}

std::vector<std::int64_t> counts_of(const std::vector<ReportMeasured>& runs, const ReportScaling& scaling) {
    std::set<std::int64_t> counts;
    for (const PlacedPlan& placed : best_plans(scaling)) {
        counts.insert(placed.point->devices);
    }
    for (const ReportMeasured& run : runs) {
        counts.insert(run.devices);
    }
    return {counts.begin(), counts.end()};
}

Series strategy_series(const ReportStrategy& strategy, const std::vector<std::int64_t>& counts) {
    Series series{.label = strategy.name, .component = {}, .points = {}};
    for (const std::int64_t count : counts) {
        const ReportPoint* point = point_on(strategy.points, count);
        series.points.push_back(point != nullptr && point->plan ? throughput_cell(*point) : Cell());
    }
    return series;
}

}  // namespace

std::optional<double> tokens_of_sample(const ReportScaling& scaling) {
    for (const ReportStrategy& strategy : scaling.strategies) {
        for (const ReportPoint& point : strategy.points) {
            if (point.plan && point.plan->tokens_per_second && point.plan->samples_per_second > 0) {
                return *point.plan->tokens_per_second / point.plan->samples_per_second;
            }
        }
    }
    return std::nullopt;
}

Rate throughput_rate(double samples, const std::optional<double>& tokens_of_sample) {
    return tokens_of_sample ? Rate{samples * *tokens_of_sample, "tokens"} : Rate{samples, "samples"};
}

Cell throughput_cell(const ReportPoint& point) {
    const ReportPlan& plan = *point.plan;
    const std::optional<double> tokens =
        plan.tokens_per_second ? std::optional(*plan.tokens_per_second / plan.samples_per_second) : std::nullopt;
    Cell cell(throughput_rate(plan.samples_per_second, tokens));
    if (plan.step.lo < plan.step.hi && plan.step.lo > Seconds{}) {
        const double samples = plan.samples_per_second * plan.step.value.in(unit::second);
        cell.interval = Interval{throughput_rate(samples / plan.step.hi.in(unit::second), tokens),
                                 throughput_rate(samples / plan.step.lo.in(unit::second), tokens)};
    }
    return cell;
}

Chart scaling_chart(const Report& report, const ReportScaling& scaling) {
    const std::vector<ReportMeasured> runs = measured_of(report, scaling);
    const std::vector<std::int64_t> counts = counts_of(runs, scaling);
    const std::optional<double> tokens = tokens_of_sample(scaling);
    Chart chart{.title = scaling.batch
                             ? fmt::format("Throughput, batch {} on all GPUs", whole(*scaling.batch))
                             : fmt::format("Throughput, {} on each GPU", counted(scaling.batch_per_gpu, "sample")),
                .x_title = "GPUs",
                .x = count_cells(counts),
                .series = {},
                .logarithmic = true,
                .form = ChartForm::lines,
                .y_title = tokens ? "tokens/s" : "samples/s",
                .level = {},
                .name = scaling.batch ? "strong-scaling" : "weak-scaling"};
    std::set<std::string> shown;
    for (const ReportStrategy* strategy : charted(scaling, kMaxCharted)) {
        chart.series.push_back(strategy_series(*strategy, counts));
        shown.insert(strategy->name);
    }
    for (const ReportMeasured& run : runs) {
        const auto strategy = std::find_if(scaling.strategies.begin(), scaling.strategies.end(),
                                           [&](const ReportStrategy& one) { return one.name == run.strategy; });
        if (strategy != scaling.strategies.end() && shown.insert(run.strategy).second) {
            chart.series.push_back(strategy_series(*strategy, counts));
        }
    }
    std::set<std::string> measured;
    for (const ReportMeasured& run : runs) {
        if (measured.insert(run.strategy).second) {
            chart.series.push_back(measured_series(runs, run.strategy, counts, tokens));
        }
    }
    Series ideal{.label = "ideal", .component = "other", .points = {}, .stroke = Stroke::dashed};
    const double rate = best_rate(scaling);
    for (const std::int64_t count : counts) {
        ideal.points.emplace_back(throughput_rate(rate * static_cast<double>(count), tokens));
    }
    if (rate > 0) {
        chart.series.push_back(std::move(ideal));
    }
    return chart;
}

Chart time_shares_chart(const ReportScaling& scaling) {
    const std::vector<PlacedPlan> best = best_plans(scaling);
    Chart chart{.title = "Parts of a step of the fastest plan",
                .x_title = "GPUs",
                .x = {},
                .series = {},
                .form = ChartForm::stacked,
                .y_title = "share of the step",
                .level = {},
                .name = "time"};
    for (const PlacedPlan& placed : best) {
        chart.x.emplace_back(Count{placed.point->devices});
    }
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const auto part = static_cast<step::TimePart>(i);
        Series series{.label = label(part, plan::Plan{}), .component = std::string(step::name(part)), .points = {}};
        bool any = false;
        for (const PlacedPlan& placed : best) {
            const double share = placed.plan().time[part] / placed.plan().step.value;
            series.points.emplace_back(Percent{share});
            any = any || share > 0.0005;
        }
        if (any) {
            chart.series.push_back(std::move(series));
        }
    }
    return chart;
}

Chart memory_chart(const ReportScaling& scaling) {
    const std::vector<PlacedPlan> best = best_plans(scaling);
    Chart chart{.title = "Memory of the fullest GPU under the fastest plan",
                .x_title = "GPUs",
                .x = {},
                .series = {},
                .form = ChartForm::stacked,
                .y_title = "memory",
                .level = {},
                .name = "memory"};
    Bytes capacity;
    for (const PlacedPlan& placed : best) {
        chart.x.emplace_back(Count{placed.point->devices});
        capacity = max(capacity, placed.plan().memory_limit);
    }
    if (!best.empty()) {
        chart.level = Level{.label = "capacity", .value = capacity};
    }
    for (std::size_t i = 0; i < step::kMemoryParts; ++i) {
        const auto part = static_cast<step::MemoryPart>(i);
        Series series{.label = std::string(label(part)), .component = std::string(step::name(part)), .points = {}};
        Bytes most;
        for (const PlacedPlan& placed : best) {
            series.points.emplace_back(placed.plan().memory[part]);
            most = max(most, placed.plan().memory[part]);
        }
        if (most > Bytes{}) {
            chart.series.push_back(std::move(series));
        }
    }
    return chart;
}

Chart front_chart(const ReportInputs& inputs, const ReportScaling& scaling) {
    const std::vector<PlacedPlan> front = pareto_front(inputs, scaling);
    const auto is_on_front = [&](const ReportPoint& point) {
        return std::any_of(front.begin(), front.end(), [&](const PlacedPlan& one) { return one.point == &point; });
    };
    Chart chart{.title = "Throughput of all plans",
                .x_title = "GPUs",
                .x = {},
                .series = {{.label = "other plans", .component = "cache", .points = {}, .stroke = Stroke::none},
                           {.label = "on the front", .component = "gradients", .points = {}, .stroke = Stroke::none}},
                .logarithmic = true,
                .form = ChartForm::lines,
                .y_title = tokens_of_sample(scaling) ? "tokens/s" : "samples/s",
                .level = {},
                .name = "front"};
    for (const PlacedPlan& placed : layouts(scaling)) {
        const bool on_front = is_on_front(*placed.point);
        Cell cell = throughput_cell(*placed.point);
        cell.interval.reset();
        chart.x.emplace_back(Count{placed.point->devices});
        chart.series[0].points.push_back(on_front ? Cell() : cell);
        chart.series[1].points.push_back(on_front ? cell : Cell());
    }
    return chart;
}

TimelineChart step_timeline(const ReportTimeline& timeline) {
    TimelineChart chart{
        .title = "One step, stage by stage", .rows = {}, .bars = {}, .end = timeline.end, .name = "step"};
    for (const std::int64_t stage : timeline.stages) {
        chart.rows.push_back(fmt::format("stage {}", stage));
    }
    for (const ReportBar& bar : timeline.bars) {
        chart.bars.push_back({static_cast<std::size_t>(bar.stage), bar.component, bar.label, bar.start, bar.duration});
    }
    return chart;
}

}  // namespace dodona::reports
