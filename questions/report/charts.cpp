#include "questions/report/charts.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/report/analysis.hpp"
#include "questions/report/measured.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::report {

namespace {

using namespace reports;

/// Parts of a step that take less on every number of GPUs are one part.
constexpr double kSeenShare = 0.01;

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

/// `cell_of`: of a point with a plan.
template <class CellOf>
Series curve_series(const Curve& curve, const std::vector<std::int64_t>& counts, CellOf cell_of) {
    Series series{.label = curve.label()};
    for (const std::int64_t count : counts) {
        const ReportPoint* point = point_on(curve.strategy->points, count);
        series.points.push_back(point != nullptr && point->plan ? cell_of(*point) : Cell());
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
                .logarithmic = true,
                .form = ChartForm::lines,
                .y_title = tokens ? "tokens/s" : "samples/s",
                .name = scaling.batch ? "strong-scaling" : "weak-scaling"};
    std::map<std::string, std::string> labels;  // of strategies that have a curve
    const auto draw = [&](const Curve& curve) {
        labels[curve.strategy->name] = curve.label();
        chart.series.push_back(curve_series(curve, counts, throughput_cell));
    };
    for (const Curve& curve : charted(scaling, kMaxCharted)) {
        draw(curve);
    }
    for (const ReportMeasured& run : runs) {
        const auto* strategy = found_in(scaling.strategies, &ReportStrategy::name, run.strategy);
        if (strategy != nullptr && !labels.contains(run.strategy)) {
            draw({strategy, {}, {}});
        }
    }
    std::set<std::string> measured;
    for (const ReportMeasured& run : runs) {
        if (measured.insert(run.strategy).second) {
            chart.series.push_back(measured_series(runs, run.strategy, counts, tokens));
            chart.series.back().like = labels[run.strategy];
        }
    }
    Series ideal{.label = "ideal", .component = "other", .stroke = Stroke::dashed};
    const double rate = best_rate(scaling);
    for (const std::int64_t count : counts) {
        ideal.points.emplace_back(throughput_rate(rate * static_cast<double>(count), tokens));
    }
    if (rate > 0) {
        chart.series.push_back(std::move(ideal));
    }
    return chart;
}

AmountOfWork amount_of_work(const ReportScaling& scaling) {
    const std::optional<double> tokens = tokens_of_sample(scaling);
    return tokens ? AmountOfWork{1e9 / *tokens, "a billion tokens"} : AmountOfWork{1e6, "a million samples"};
}

double gpu_hours(const ReportPoint& point, const AmountOfWork& work) {
    return static_cast<double>(point.devices) * work.samples / point.plan->samples_per_second / 3600;
}

Chart cost_chart(const ReportInputs& inputs, const ReportScaling& scaling) {
    const AmountOfWork work = amount_of_work(scaling);
    const auto counts =
        mapped<std::int64_t>(best_plans(scaling), [](const PlacedPlan& placed) { return placed.point->devices; });
    Chart chart{.title = fmt::format("What to run, and what it costs: {} for {}",
                                     inputs.price_per_gpu_hour ? inputs.currency : "GPU-hours", work.text),
                .x_title = "GPUs",
                .x = count_cells(counts),
                .logarithmic = true,
                .form = ChartForm::lines,
                .y_title = inputs.price_per_gpu_hour ? inputs.currency : "GPU-hours",
                .name = "cost"};
    for (const Curve& curve : charted(scaling, kMaxCharted)) {
        chart.series.push_back(curve_series(curve, counts, [&](const ReportPoint& point) {
            const auto money = money_per_sample(inputs, point);
            return money ? Cell(Cost{Money::of_base(*money * work.samples), inputs.currency})
                         : Cell(Number{gpu_hours(point, work)});
        }));
    }
    return chart;
}

Chart time_parts_chart(const ReportScaling& scaling) {
    constexpr double kShown = 4;  ///< times the least GPU-hours: what costs more hides the parts of the others
    std::vector<PlacedPlan> best = best_plans(scaling);
    const AmountOfWork work = amount_of_work(scaling);
    double least = std::numeric_limits<double>::infinity();
    for (const PlacedPlan& placed : best) {
        least = std::min(least, gpu_hours(*placed.point, work));
    }
    const auto left_out =
        std::erase_if(best, [&](const PlacedPlan& placed) { return gpu_hours(*placed.point, work) > kShown * least; });
    Chart chart{.title = fmt::format("How far it scales, and what stops it: GPU-hours for {}", work.text),
                .x_title = "GPUs",
                .form = ChartForm::stacked,
                .y_title = "GPU-hours",
                .name = "time"};
    append(chart.x, best, [](const PlacedPlan& placed) { return Count{placed.point->devices}; });
    if (!best.empty()) {
        chart.level = Level{.label = "ideal", .value = Number{least}};
        chart.title += fmt::format(" (ideal: {}{})", text(chart.level->value),
                                   left_out > 0 ? fmt::format("; up to {:.0f} times that", kShown) : "");
    }
    Series other{.label = "other", .component = "other"};
    std::vector<double> rest(best.size());
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const auto part = static_cast<step::TimePart>(i);
        Series series{.label = label(part, plan::Plan{}), .component = std::string(step::name(part))};
        std::vector<double> hours;
        bool is_seen = false;
        for (const PlacedPlan& placed : best) {
            const double share = placed.plan().time[part] / placed.plan().step.value;
            hours.push_back(share * gpu_hours(*placed.point, work));
            is_seen = is_seen || share > kSeenShare;
        }
        for (std::size_t k = 0; k < hours.size(); ++k) {
            rest[k] += is_seen ? 0 : hours[k];
            series.points.emplace_back(Number{hours[k]});
        }
        if (is_seen) {
            chart.series.push_back(std::move(series));
        }
    }
    if (std::any_of(rest.begin(), rest.end(), [](double hours) { return hours > 0; })) {
        append(other.points, rest, [](const double hours) { return Number{hours}; });
        chart.series.push_back(std::move(other));
    }
    return chart;
}

Chart certainty_chart(const Report& report, const ReportScaling& scaling) {
    const std::vector<ReportMeasured> runs = measured_of(report, scaling);
    const std::vector<std::int64_t> counts = counts_of(runs, scaling);
    Chart chart{.title = fmt::format("How sure: {:.0f} % interval of the step", 100 * kIntervalLevel),
                .x_title = "GPUs",
                .x = count_cells(counts),
                .logarithmic = true,
                .form = ChartForm::lines,
                .y_title = "of the predicted step",
                .name = "certainty"};
    Series predicted{.label = "predicted"};
    Series measured{.label = "measured", .stroke = Stroke::none, .like = "predicted"};
    const std::vector<PlacedPlan> best = best_plans(scaling);
    for (const std::int64_t count : counts) {
        const auto* placed = found_in(best, [&](const PlacedPlan& one) { return one.point->devices == count; });
        Cell& cell = predicted.points.emplace_back();
        if (placed != nullptr) {
            const Estimate& step = placed->plan().step;
            cell = Percent{1};
            cell.interval = Interval{Percent{step.lo / step.value}, Percent{step.hi / step.value}};
        }
        double sum = 0;
        double found = 0;
        for (const ReportMeasured& run : runs) {
            sum += run.devices == count ? run.measured / run.predicted.value : 0;
            found += run.devices == count ? 1 : 0;
        }
        measured.points.push_back(found > 0 ? Cell(Percent{sum / found}) : Cell());
    }
    chart.series.push_back(std::move(predicted));
    if (!runs.empty()) {
        chart.series.push_back(std::move(measured));
    }
    return chart;
}

Chart memory_chart(const ReportScaling& scaling) {
    const std::vector<PlacedPlan> best = best_plans(scaling);
    Chart chart{.title = "Memory of the fullest GPU under the fastest plan",
                .x_title = "GPUs",
                .form = ChartForm::stacked,
                .y_title = "memory",
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
        Series series{.label = std::string(label(part)), .component = std::string(step::name(part))};
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
                .series = {{.label = "other plans", .component = "cache", .stroke = Stroke::none},
                           {.label = "on the front", .component = "gradients", .stroke = Stroke::none}},
                .logarithmic = true,
                .form = ChartForm::lines,
                .y_title = tokens_of_sample(scaling) ? "tokens/s" : "samples/s",
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
    TimelineChart chart{.title = "One step, stage by stage", .end = timeline.end, .name = "step"};
    for (const std::int64_t stage : timeline.stages) {
        chart.rows.push_back(fmt::format("stage {}", stage));
    }
    for (const ReportBar& bar : timeline.bars) {
        chart.bars.push_back({static_cast<std::size_t>(bar.stage), bar.component, bar.label, bar.start, bar.duration});
    }
    return chart;
}

}  // namespace dodona::questions::report
