#include "play/simulated_step.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "schedule/schedule.hpp"
#include "simulate/play.hpp"

namespace dodona::play {

namespace {

/// Tasks that are kept in memory at once: some 100 bytes each.
constexpr std::int64_t kMostTasks = 40'000'000;

schedule::Order order_of(const plan::Plan& plan, const step::PipelineCosts& costs) {
    const schedule::Schedule* found = schedule::find_schedule(plan::name(plan.schedule));
    check(found != nullptr, "every schedule of a plan has an order");
    const auto positions = static_cast<std::int64_t>(costs.positions.size());
    if (costs.microbatches > kMostTasks / (4 * positions)) {
        fail({},
             fmt::format("the step has {} micro-batches on {} virtual stages: too many tasks to play",
                         costs.microbatches, positions),
             "larger micro-batches or a smaller batch");
    }
    const schedule::Shape shape{static_cast<std::int32_t>(costs.tails.size()),
                                static_cast<std::int32_t>(costs.microbatches),
                                static_cast<std::int32_t>(plan.virtual_stages)};
    if (const auto unmet = found->unmet(shape)) {
        fail({}, fmt::format("schedule {}: {}", found->name, *unmet));
    }
    return schedule::order_of(*found, shape);
}

Seconds makespan(const schedule::Order& order, const step::PipelineCosts& costs) {
    return simulate::play(step_tasks(order, costs).graph).makespan;
}

StepParts parts(const schedule::Order& order, const SimulatedStep& step) {
    Seconds tail;
    for (const step::StageTail& stage : step.costs.tails) {
        tail = max(tail, stage.total());
    }
    const Seconds transfers = step.prediction.time[step::TimePart::pipeline];
    step::PipelineCosts costs = step.costs;
    costs.tails.assign(costs.tails.size(), {});
    const Seconds without_tail = makespan(order, costs);
    for (step::PositionCost& position : costs.positions) {
        position.receive = {};
    }
    const Seconds passes = makespan(order, costs);
    return {.passes = {step.prediction.step.value - step.costs.outside - transfers - tail, passes},
            .transfers = {transfers, without_tail - passes},
            .tail = {tail, step.timeline.makespan - without_tail}};
}

}  // namespace

std::vector<StageUse> uses(const StepTasks& steps, const simulate::Timeline& timeline) {
    std::vector<StageUse> stages(static_cast<std::size_t>(steps.stages));
    for (std::size_t i = 0; i < steps.tasks.size(); ++i) {
        const StepTask& task = steps.tasks[i];
        StageUse& stage = stages[static_cast<std::size_t>(task.stage)];
        const Seconds time = timeline.end[i] - timeline.start[i];
        (task.stream == Stream::compute ? stage.time_of[static_cast<std::size_t>(task.work)]
                                        : stage.hidden_transfers) += time;
    }
    for (StageUse& stage : stages) {
        stage.idle = timeline.makespan - stage.busy();
    }
    return stages;
}

double SimulatedStep::idle_share() const {
    Seconds idle;
    for (const StageUse& stage : stages) {
        idle += stage.idle;
    }
    const Seconds whole = static_cast<double>(stages.size()) * timeline.makespan;
    return whole > Seconds{} ? idle / whole : 0;
}

SimulatedStep simulate_step(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan) {
    step::CostedPlan costed = step::cost_plan(graph, cluster, plan);
    if (!costed.prediction.runs) {
        fail({}, "the plan cannot run: " + text(*costed.prediction.why_not));
    }
    SimulatedStep step{.prediction = std::move(costed.prediction), .costs = std::move(costed.costs)};
    const schedule::Order order = order_of(plan, step.costs);
    step.steps = step_tasks(order, step.costs);
    step.timeline = simulate::play(step.steps.graph);
    step.critical_path = simulate::critical_path(step.steps.graph, step.timeline);
    step.stages = uses(step.steps, step.timeline);
    step.parts = parts(order, step);
    return step;
}

}  // namespace dodona::play
