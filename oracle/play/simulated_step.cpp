#include "play/simulated_step.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "schedule/in_flight.hpp"
#include "simulate/play.hpp"

namespace dodona::play {

namespace {

/// Tasks that are kept in memory at once: some 100 bytes each.
constexpr std::int64_t kMaxTasks = 40'000'000;

schedule::Shape shape_of(const plan::Plan& plan, const step::PipelineCosts& costs) {
    const auto positions = static_cast<std::int64_t>(costs.positions.size());
    if (costs.microbatches > kMaxTasks / (4 * positions)) {
        fail({},
             fmt::format("the step has {} micro-batches on {} virtual stages: too many tasks to play",
                         costs.microbatches, positions),
             "larger micro-batches or a smaller batch");
    }
    return {static_cast<std::int32_t>(costs.tails.size()), static_cast<std::int32_t>(costs.microbatches),
            static_cast<std::int32_t>(plan.virtual_stages)};
}

schedule::Order checked_order(const schedule::Schedule& schedule, const schedule::Shape& shape) {
    if (const auto unmet = schedule.unmet(shape)) {
        fail({}, fmt::format("schedule {}: {}", schedule.name, *unmet));
    }
    return schedule::order_of(schedule, shape);
}

schedule::Order checked_order(const OtherOrder& other, const schedule::Shape& shape) {
    schedule::Order order = other.order(shape);
    const auto stages = static_cast<std::int32_t>(order.stages.size());
    if (stages != shape.stages || order.positions() != shape.stages * shape.virtual_stages ||
        order.micro_batches != shape.micro_batches) {
        fail({}, fmt::format(
                     "{} is an order for {} stages with {} positions and {} micro-batches; the plan has {}, {} and {}",
                     other.name, stages, order.positions(), order.micro_batches, shape.stages,
                     shape.stages * shape.virtual_stages, shape.micro_batches));
    }
    return order;
}

std::int64_t most_in_flight(const schedule::Order& order) {
    std::int64_t most = 0;
    for (std::int32_t stage = 0; stage < static_cast<std::int32_t>(order.stages.size()); ++stage) {
        most = std::max(most, schedule::in_flight(order, stage).peak_weights());
    }
    return most;
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

std::vector<StageUse> stage_uses(const StepTasks& steps, const simulate::Timeline& timeline) {
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

std::size_t SimulatedStep::fullest_stage() const {
    std::size_t fullest = 0;
    for (std::size_t s = 1; s < memory.size(); ++s) {
        const auto share = [&](std::size_t stage) { return memory[stage].process / costs.memory[stage].limit; };
        fullest = share(s) > share(fullest) ? s : fullest;
    }
    return fullest;
}

std::optional<std::string> why_not_played(const schedule::Schedule& schedule) {
    if (schedule.traits.parameter_copies > 1) {
        return fmt::format(
            "it keeps {} copies of the parameters, and the plan's memory and exchanges are those of one; "
            "plan with --schedule {}",
            schedule.traits.parameter_copies, schedule.name);
    }
    return schedule.traits.flushes
               ? std::nullopt
               : std::optional(fmt::format("it does not end with a step; plan with --schedule {}", schedule.name));
}

OtherOrder other_order(const schedule::Schedule& schedule) {
    if (const auto why_not = why_not_played(schedule)) {
        fail({}, fmt::format("schedule {} cannot be played: {}", schedule.name, *why_not));
    }
    return {std::string(schedule.name),
            [&schedule](const schedule::Shape& shape) { return checked_order(schedule, shape); }};
}

SimulatedStep simulate_step(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                            const std::optional<OtherOrder>& other) {
    step::CostedPlan costed = step::cost_plan(graph, cluster, plan);
    if (!costed.prediction.runs) {
        fail({}, "the plan cannot run: " + text(*costed.prediction.why_not));
    }
    SimulatedStep step{.prediction = std::move(costed.prediction), .costs = std::move(costed.costs)};
    // Without a pipeline every schedule accumulates: one micro-batch after the other, as 1F1B of one stage has it.
    const bool has_pipeline = step.costs.tails.size() > 1;
    const schedule::Schedule* planned =
        schedule::find_schedule(has_pipeline ? plan::name(plan.schedule) : std::string_view("1f1b"));
    check(planned != nullptr, "every schedule of a plan has an order");
    const schedule::Shape shape = shape_of(plan, step.costs);
    const schedule::Order of_plan = checked_order(*planned, shape);
    const schedule::Order order = other ? checked_order(*other, shape) : of_plan;
    step.other_order = other ? std::optional(other->name) : std::nullopt;
    step.in_flight = most_in_flight(order);
    step.in_flight_of_plan = other ? most_in_flight(of_plan) : step.in_flight;
    step.steps = step_tasks(order, step.costs);
    step.timeline = simulate::play(step.steps.graph);
    step.critical_path = simulate::critical_path(step.steps.graph, step.timeline);
    step.stages = stage_uses(step.steps, step.timeline);
    step.memory = memory_uses(step.steps, step.timeline, step.costs);
    step.parts = parts(order, step);
    if (has_pipeline && !other && !planned->traits.flushes) {
        schedule::Shape longer = shape;
        longer.micro_batches *= 2;
        step.steady =
            makespan(checked_order(*planned, longer), step.costs) - step.timeline.makespan + step.parts.tail.played;
        step.parts.passes.played += *step.steady - step.timeline.makespan;
    }
    return step;
}

}  // namespace dodona::play
