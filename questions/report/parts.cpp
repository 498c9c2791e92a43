#include "questions/report/parts.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "reports/collect/explanation_report.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/collect/step_blocks.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::report {

namespace {

using namespace reports;

ReportPlan report_plan(const step::Prediction& prediction) {
    return {.mesh = mesh_text(prediction.plan),
            .details = fmt::format("micro-batch {}, {}", microbatch_text(prediction), memory_savings(prediction.plan)),
            .software = prediction.plan.framework.label(),
            .step = prediction.step,
            .samples_per_second = prediction.samples_per_second,
            .tokens_per_second = prediction.tokens_per_second,
            .mfu = prediction.mfu,
            .time = prediction.time,
            .memory = prediction.memory,
            .memory_limit = prediction.memory_limit,
            .bottlenecks = bottleneck_items(prediction),
            .unusual = {}};
}

/// Tasks of the compute stream by stage, in time order.
using TasksByStage = std::vector<std::vector<std::size_t>>;

TasksByStage tasks_by_stage(const play::SimulatedStep& step) {
    TasksByStage stages(static_cast<std::size_t>(step.steps.stages));
    for (std::size_t i = 0; i < step.steps.tasks.size(); ++i) {
        const play::StepTask& task = step.steps.tasks[i];
        if (task.stream == play::Stream::compute && step.timeline.end[i] > step.timeline.start[i]) {
            stages[static_cast<std::size_t>(task.stage)].push_back(i);
        }
    }
    for (std::vector<std::size_t>& tasks : stages) {
        std::stable_sort(tasks.begin(), tasks.end(),
                         [&](std::size_t a, std::size_t b) { return step.timeline.start[a] < step.timeline.start[b]; });
    }
    return stages;
}

/// The first and the last stage and evenly spread ones between.
std::vector<std::size_t> stages_shown(std::size_t all) {
    constexpr std::size_t kMaxStages = 16;
    if (all <= kMaxStages) {
        std::vector<std::size_t> every(all);
        for (std::size_t i = 0; i < all; ++i) {
            every[i] = i;
        }
        return every;
    }
    std::set<std::size_t> some;
    for (std::size_t i = 0; i < kMaxStages; ++i) {
        some.insert(i * (all - 1) / (kMaxStages - 1));
    }
    return {some.begin(), some.end()};
}

/// To a millionth of the step: finer than any picture.
Seconds shown_time(const play::SimulatedStep& step, Seconds at) {
    const double unit = std::pow(10.0, std::floor(std::log10(step.timeline.makespan.in(unit::second))) - 6);
    return Seconds::of_base(std::round(at.in(unit::second) / unit) * unit);
}

ReportBar bar_of(const play::SimulatedStep& step, std::size_t task, std::size_t row) {
    const play::StepTask& of = step.steps.tasks[task];
    const std::string work(play::name(of.work));
    return {.stage = static_cast<std::int64_t>(row),
            .component = of.work == play::Work::weights ? "weight_gradients" : work,
            .label = of.micro_batch >= 0 ? fmt::format("{} {}", work, of.micro_batch + 1) : work,
            .start = shown_time(step, step.timeline.start[task]),
            .duration = shown_time(step, step.timeline.end[task]) - shown_time(step, step.timeline.start[task])};
}

}  // namespace

ReportPoint report_point(const search::ScalingPoint& point, const std::vector<plan::Strategy>& strategies) {
    ReportPoint shown{.strategy = strategies.size() == 1 ? strategies.front().name : "",
                      .devices = point.devices,
                      .batch = point.batch,
                      .plan = {},
                      .why_not = {}};
    if (point.best) {
        shown.strategy = point.best->plan.strategy.name;
        shown.plan = report_plan(*point.best);
        shown.plan->unusual = point.unusual;
    } else {
        shown.why_not = point.why_not ? why_not_text(point)
                                      : plan::text(plan::LimitCause(plan::DeviceCountLimit{
                                            shown.strategy.empty() ? "any strategy" : shown.strategy, point.devices}));
    }
    return shown;
}

ReportStrategy report_strategy(const search::StrategyLimits& reach) {
    const auto axes = static_cast<std::int64_t>(reach.axes.size());
    return {.name = reach.strategy, .most = reach.most, .set_by = set_by_text(reach), .axes = axes};
}

ReportSensitivity report_sensitivity(const search::Explanation& explanation, const step::Prediction& best) {
    Document document;
    add_explanation(document, explanation, {best});
    ReportSensitivity shown;
    for (const Block& block : document.blocks) {
        if (const auto* list = std::get_if<List>(&block)) {
            shown.sentences = list->items;
        } else if (const auto* note = std::get_if<Note>(&block)) {
            shown.notes.push_back(note->text);
        } else if (const auto* table = std::get_if<Table>(&block)) {
            append(shown.table.columns, table->columns, &Column::title);
            for (const std::vector<Cell>& row : table->rows) {
                std::vector<std::string>& texts = shown.table.rows.emplace_back();
                append(texts, row, [](const Cell& cell) { return text(cell); });
            }
        }
    }
    return shown;
}

ReportTimeline report_timeline(const play::SimulatedStep& step) {
    const TasksByStage all = tasks_by_stage(step);
    const std::vector<std::size_t> shown = stages_shown(all.size());
    ReportTimeline timeline{
        .stages = {}, .all_stages = static_cast<std::int64_t>(all.size()), .end = step.timeline.makespan, .notes = {}};
    if (shown.size() < all.size()) {
        timeline.notes.push_back(fmt::format("{} of {} stages are shown", shown.size(), all.size()));
    }
    const std::size_t each = kMaxBars / std::max<std::size_t>(shown.size(), 1);
    bool folded = false;
    for (std::size_t row = 0; row < shown.size(); ++row) {
        timeline.stages.push_back(static_cast<std::int64_t>(shown[row]) + 1);
        const std::vector<std::size_t>& tasks = all[shown[row]];
        const std::size_t half = each / 2;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (tasks.size() <= each || i < half || i + half >= tasks.size()) {
                timeline.bars.push_back(bar_of(step, tasks[i], row));
            } else if (i == half) {
                const Seconds from = step.timeline.start[tasks[i]];
                const Seconds to = step.timeline.end[tasks[tasks.size() - half - 1]];
                timeline.bars.push_back({.stage = static_cast<std::int64_t>(row),
                                         .component = "other",
                                         .label = fmt::format("{} more tasks", tasks.size() - 2 * half),
                                         .start = from,
                                         .duration = to - from});
                folded = true;
            }
        }
    }
    if (folded) {
        timeline.notes.emplace_back(
            "the middle of the step is one bar; `dodona simulate --trace` writes the whole timeline");
    }
    return timeline;
}

ReportBest report_best(const step::Prediction& best) {
    return {.devices = best.plan.devices(),
            .strategy = best.plan.strategy.name,
            .evidence = evidence_items(best),
            .sensitivity = {},
            .timeline = {}};
}

Report thinned(const Report& report, std::size_t most) {
    Report less = report;
    less.thinned = true;
    const std::vector<std::int64_t>& all = report.inputs.counts;
    std::set<std::int64_t> kept{all.front(), all.back()};
    if (report.best) {
        kept.insert(report.best->devices);
    }
    const double ratio = static_cast<double>(all.back()) / static_cast<double>(all.front());
    for (std::size_t i = 1; i + 1 < most && kept.size() < most; ++i) {
        const double step = static_cast<double>(i) / static_cast<double>(most - 1);
        const auto due = std::llround(static_cast<double>(all.front()) * std::pow(ratio, step));
        kept.insert(*std::lower_bound(all.begin(), all.end(), due));
    }
    less.inputs.counts.assign(kept.begin(), kept.end());
    for (ReportScaling& scaling : less.scalings) {
        for (ReportStrategy& strategy : scaling.strategies) {
            std::erase_if(strategy.points, [&](const ReportPoint& point) { return !kept.contains(point.devices); });
        }
        std::erase_if(scaling.answers, [&](const ReportPoint& point) { return !kept.contains(point.devices); });
    }
    return less;
}

}  // namespace dodona::questions::report
