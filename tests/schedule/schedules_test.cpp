// Schedules against the bubbles and the memory that their authors state.
#include "schedule/schedule.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "scenes.hpp"

namespace dodona::schedule {
namespace schedules_test {

using test::equal;
using test::idle;
using test::idle_within;
using test::named;
using test::Pass;
using test::played;

/// A random shape for which the schedule has an order.
Shape any_shape(const Schedule& schedule) {
    return *rc::gen::suchThat(
        rc::gen::apply(
            [](std::int32_t p, std::int32_t m, std::int32_t groups, bool grouped, std::int32_t v) {
                return Shape{p, grouped ? p * groups : m, v};
            },
            rc::gen::inRange(1, 9), rc::gen::inRange(1, 40), rc::gen::inRange(1, 6), rc::gen::arbitrary<bool>(),
            rc::gen::inRange(1, 4)),
        [&](const Shape& shape) { return !schedule.unmet(shape); });
}

Schedule any_schedule() { return schedules()[*rc::gen::inRange<std::size_t>(0, schedules().size())]; }

/// Random durations from 1 to 9 by kind and position; B takes as long as I and W.
Durations<double> any_durations(std::int32_t positions) {
    Durations<double> durations(positions);
    for (std::int32_t k = 0; k < positions; ++k) {
        for (const TaskKind kind : {TaskKind::forward, TaskKind::backward_input, TaskKind::backward_weight}) {
            durations.of(kind, k) = *rc::gen::inRange(1, 10);
        }
        durations.of(TaskKind::backward, k) =
            durations.of(TaskKind::backward_input, k) + durations.of(TaskKind::backward_weight, k);
    }
    return durations;
}

/// Each micro-batch alone: all of its forward passes, then its backward passes down to the first position.
double longest_chain(Durations<double> durations) {
    double sum = 0;
    for (std::int32_t k = 0; k < durations.positions; ++k) {
        sum += durations.of(TaskKind::forward, k) + durations.of(TaskKind::backward_input, k);
    }
    return sum;
}

RC_GTEST_PROP(Schedules, RunEveryTaskOnceAndToTheEnd, ()) {
    const Schedule schedule = any_schedule();
    const Shape shape = any_shape(schedule);
    const Order order = order_of(schedule, shape);
    RC_ASSERT(find_faults(order).empty());
    const Dependencies dependencies = resolve(order);
    RC_ASSERT(to_text(dependencies.blocked) == "");
    RC_ASSERT(dependencies.steps.size() == order.tasks());
}

RC_GTEST_PROP(Schedules, TakeAtLeastTheirBusiestStageAndLongestChainAndAtMostTheSumOfAllTasks, ()) {
    const Schedule schedule = any_schedule();
    const Shape shape = any_shape(schedule);
    const Order order = order_of(schedule, shape);
    const Durations<double> durations = any_durations(order.positions());
    const Played<double> run = played(order, durations);
    double sum = 0;
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        const double busy = run.busy[static_cast<std::size_t>(s)];
        RC_ASSERT(run.makespan >= busy);
        RC_ASSERT(run.idle_within(s) >= 0);
        sum += busy;
    }
    RC_ASSERT(run.makespan >= longest_chain(durations));
    RC_ASSERT(run.makespan <= sum);
}

RC_GTEST_PROP(Schedules, StartNoTaskBeforeWhatItNeedsHasEnded, ()) {
    const Schedule schedule = any_schedule();
    const Order order = order_of(schedule, any_shape(schedule));
    const Played<double> run = played(order, any_durations(order.positions()));
    // Ends of forward passes and of gradients of inputs, by position and micro-batch.
    const auto m = static_cast<std::size_t>(order.micro_batches);
    std::vector<double> forward(static_cast<std::size_t>(order.positions()) * m, -1);
    std::vector<double> gradient = forward;
    const auto visit = [&](const auto& look) {
        std::size_t at = 0;
        for (const std::vector<Task>& tasks : order.stages) {
            for (const Task& task : tasks) {
                const auto cell = static_cast<std::size_t>(task.position) * m;
                look(task, cell + static_cast<std::size_t>(task.micro_batch), at++);
            }
        }
    };
    visit([&](const Task& task, std::size_t cell, std::size_t at) {
        if (task.kind == TaskKind::forward) {
            forward[cell] = run.end[at];
        } else if (is_input_backward(task.kind)) {
            gradient[cell] = run.end[at];
        }
    });
    visit([&](const Task& task, std::size_t cell, std::size_t at) {
        if (task.kind == TaskKind::forward && task.position > 0) {
            RC_ASSERT(run.start[at] >= forward[cell - m]);
        }
        if (is_input_backward(task.kind)) {
            RC_ASSERT(run.start[at] >= (task.position + 1 < order.positions() ? gradient[cell + m] : forward[cell]));
        }
        if (task.kind == TaskKind::backward_weight) {
            RC_ASSERT(run.start[at] >= gradient[cell]);
        }
    });
}

RC_GTEST_PROP(Schedules, OfOneStageAreNeverIdle, ()) {
    const Schedule schedule = any_schedule();
    Shape shape{1, *rc::gen::inRange(2, 20), *rc::gen::inRange(1, 4)};
    RC_PRE(!schedule.unmet(shape));
    RC_ASSERT(idle(played(order_of(schedule, shape), Pass{1, 2, 3, 6})) == 0);
}

RC_GTEST_PROP(Schedules, WithoutVirtualStagesHaveTheBubbleOfTheirStages, ()) {
    // (p - 1)(F + B), also with fewer micro-batches than stages: a share (p - 1) / (m + p - 1) of the step.
    const Schedule& schedule = named(*rc::gen::element<std::string>("gpipe", "1f1b"));
    const Shape shape{*rc::gen::inRange(1, 9), *rc::gen::inRange(1, 20), 1};
    const Pass pass{static_cast<double>(*rc::gen::inRange(1, 9)), static_cast<double>(*rc::gen::inRange(1, 9)),
                    static_cast<double>(*rc::gen::inRange(1, 9))};
    const Played<double> run = played(order_of(schedule, shape), pass);
    const double whole = pass.forward + pass.input + pass.weight;
    RC_ASSERT(std::abs(idle(run) - (shape.stages - 1) * whole) < 1e-9);
    const double share = (shape.stages - 1.0) / (shape.micro_batches + shape.stages - 1.0);
    RC_ASSERT(std::abs(bubble_fraction(run) - share) < 1e-9);
}

RC_GTEST_PROP(Schedules, InterleavedDividesTheBubbleByItsVirtualStages, ()) {
    const Shape shape = any_shape(named("interleaved-1f1b"));
    const Played<double> run = played(order_of(named("interleaved-1f1b"), shape), Pass{2, 1, 2});
    const double share = (shape.stages - 1.0) / (shape.virtual_stages * shape.micro_batches + shape.stages - 1.0);
    RC_ASSERT(std::abs(bubble_fraction(run) - share) < 1e-9);
}

TEST(Schedules, SayWhatAShapeLacks) {
    const auto unmet = [](std::string_view name, const Shape& shape) {
        return named(name).unmet(shape).value_or("nothing");
    };
    EXPECT_EQ(unmet("1f1b", {4, 8, 1}), "nothing");
    EXPECT_EQ(unmet("1f1b", {4, 8, 2}), "the schedule has one virtual stage on each stage, not 2");
    EXPECT_EQ(unmet("gpipe", {0, 8, 1}),
              "a pipeline has at least one stage, micro-batch and virtual stage, not 0, 8 and 1");
    EXPECT_EQ(unmet("interleaved-1f1b", {4, 8, 1}),
              "interleaving needs two or more virtual stages on each stage; with one it is 1f1b");
    EXPECT_EQ(unmet("interleaved-1f1b", {4, 10, 2}),
              "interleaving runs micro-batches in groups of as many as there are stages: 10 is no multiple of 4");
}

TEST(Schedules, AreFoundByTheirNames) {
    for (const Schedule& schedule : schedules()) {
        EXPECT_EQ(find_schedule(schedule.name), &schedule);
        EXPECT_FALSE(schedule.source.empty());
    }
    EXPECT_EQ(find_schedule("2f2b"), nullptr);
}

TEST(Schedules, AreNotGeneratedForAShapeThatTheyRefuse) {
    EXPECT_THROW(order_of(named("1f1b"), {4, 8, 2}), InternalError);
}

}  // namespace schedules_test
}  // namespace dodona::schedule
