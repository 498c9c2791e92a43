// Schedules against the bubbles and the memory that their authors state.
#include "schedule/schedule.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "scenes.hpp"
#include "schedule/in_flight.hpp"
#include "schedule/order_csv.hpp"
#include "schedule/rounds.hpp"

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

TEST(Schedules, RunEveryTaskOnceAndToTheEnd) {
    for (const Schedule& schedule : schedules()) {
        int shapes = 0;
        for (std::int32_t p = 1; p <= 8; ++p) {
            for (std::int32_t m = 1; m <= 24; ++m) {
                for (std::int32_t v = 1; v <= 3; ++v) {
                    if (schedule.unmet({p, m, v})) {
                        continue;
                    }
                    const Order order = order_of(schedule, {p, m, v});
                    ASSERT_TRUE(find_faults(order).empty()) << schedule.name << " " << p << " " << m << " " << v;
                    const Dependencies dependencies = resolve(order);
                    ASSERT_EQ(to_text(dependencies.blocked), "") << schedule.name << " " << p << " " << m << " " << v;
                    ASSERT_EQ(dependencies.steps.size(), order.tasks());
                    ++shapes;
                }
            }
        }
        EXPECT_GE(shapes, 30) << schedule.name;
    }
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

RC_GTEST_PROP(Schedules, TakeLongerWithTransfersAndLongestWithBlockingOnes, ()) {
    const Schedule schedule = any_schedule();
    const Shape shape = any_shape(schedule);
    const Order order = order_of(schedule, shape);
    const Dependencies dependencies = resolve(order);
    Durations<double> durations = any_durations(order.positions());
    const double none = played(order, durations).makespan;
    double sum = 0;
    for (std::int32_t k = 0; k + 1 < order.positions(); ++k) {
        durations.forward_transfers.push_back(*rc::gen::inRange(0, 5));
        durations.backward_transfers.push_back(*rc::gen::inRange(0, 5));
    }
    for (const Step& step : dependencies.steps) {
        if (step.transfer >= 0) {
            const auto& transfers = step.is_backward ? durations.backward_transfers : durations.forward_transfers;
            sum += transfers[static_cast<std::size_t>(step.transfer)];
        }
    }
    const Played<double> asynchronous = played(order, durations);
    durations.blocking = true;
    const Played<double> blocking = played(order, durations);
    RC_ASSERT(none <= asynchronous.makespan);
    RC_ASSERT(asynchronous.makespan <= none + sum);
    RC_ASSERT(none <= blocking.makespan);
    // Each transfer occupies its receiver.
    double occupied = 0;
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        occupied += blocking.transferring[static_cast<std::size_t>(s)];
        RC_ASSERT(blocking.idle(s) >= 0);
        RC_ASSERT(blocking.idle_within(s) >= 0);
    }
    RC_ASSERT(occupied == sum);
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

RC_GTEST_PROP(Schedules, BreadthFirstHasTheBubbleOfInterleaving, ()) {
    const std::int32_t p = *rc::gen::inRange(1, 9);
    const Shape shape{p, p + *rc::gen::inRange(0, 20), *rc::gen::inRange(1, 5)};
    const Played<double> run = played(order_of(named("breadth-first"), shape), Pass{2, 1, 2});
    const double share = (p - 1.0) / (shape.virtual_stages * shape.micro_batches + p - 1.0);
    RC_ASSERT(std::abs(bubble_fraction(run) - share) < 1e-9);
    for (std::int32_t s = 0; s < p; ++s) {
        RC_ASSERT(in_flight(order_of(named("breadth-first"), shape), s).peak() ==
                  shape.virtual_stages * shape.micro_batches);
    }
}

/// Durations with W <= F and 2 W <= F + I, for which the formulas of zero-bubble schedules hold.
Pass short_weights() {
    const double weight = *rc::gen::inRange(1, 6);
    return {weight + *rc::gen::inRange(0, 4), weight + *rc::gen::inRange(0, 4), weight};
}

RC_GTEST_PROP(Schedules, ZeroBubbleH1HasItsAuthorsBubbleAndMemory, ()) {
    // (p - 1)(F + I - W), and p micro-batches on every stage until their gradients of weights are there.
    const std::int32_t p = *rc::gen::inRange(1, 9);
    const Shape shape{p, p + *rc::gen::inRange(0, 20), 1};
    const Pass pass = short_weights();
    const Order order = order_of(named("zb-h1"), shape);
    RC_ASSERT(std::abs(idle_within(played(order, pass)) - (p - 1) * (pass.forward + pass.input - pass.weight)) < 1e-9);
    for (std::int32_t s = 0; s < p; ++s) {
        RC_ASSERT(in_flight(order, s).peak() == p - s);
        RC_ASSERT(in_flight(order, s).peak_weights() == p);
    }
}

RC_GTEST_PROP(Schedules, ZeroBubbleH2HasItsAuthorsBubbleAndMemory, ()) {
    // (p - 1)(F + I - 2 W) within each stage, and 2p - 1 micro-batches on every stage.
    const std::int32_t p = *rc::gen::inRange(1, 9);
    const Shape shape{p, 2 * p - 1 + *rc::gen::inRange(0, 20), 1};
    const Pass pass = short_weights();
    const Order order = order_of(named("zb-h2"), shape);
    RC_ASSERT(std::abs(idle_within(played(order, pass)) - (p - 1) * (pass.forward + pass.input - 2 * pass.weight)) <
              1e-9);
    for (std::int32_t s = 0; s < p; ++s) {
        RC_ASSERT(in_flight(order, s).peak() == 2 * (p - s) - 1);
        RC_ASSERT(in_flight(order, s).peak_weights() == 2 * p - 1);
    }
}

RC_GTEST_PROP(Schedules, ZeroBubbleVHasNoBubbleWithEqualTasksAndTheMemoryOfOneForwardOneBackward, ()) {
    // 2p passes of half a stage; the step as a whole ends when the last stage does, (p - 1) F later.
    const std::int32_t p = *rc::gen::inRange(1, 9);
    const Shape shape{p, 2 * p - 1 + *rc::gen::inRange(0, 20), 2};
    const Order order = order_of(named("zb-v"), shape);
    const Played<double> run = played(order, Pass{2, 2, 2});
    RC_ASSERT(std::abs(idle_within(run)) < 1e-9);
    RC_ASSERT(std::abs(idle(run) - 2 * (p - 1)) < 1e-9);
    for (std::int32_t s = 0; s < p; ++s) {
        RC_ASSERT(in_flight(order, s).peak_weights() == 2 * p);
    }
}

/// Durations with F = I >= W and a pair that takes between a backward pass and both its parts.
Pass paired() {
    const double weight = *rc::gen::inRange(1, 6);
    const double forward = weight + *rc::gen::inRange(0, 4);
    return {forward, forward, weight, forward + weight + *rc::gen::inRange(0, 5) * forward / 4};
}

RC_GTEST_PROP(Schedules, DualPipeHasItsAuthorsBubbleAndMemory, ()) {
    // (p/2 - 1)(F&B + B - 3W) on the stages in the middle, p + 1 passes in flight.
    const std::int32_t p = 2 * *rc::gen::inRange(1, 6);
    const Shape shape{p, 2 * (p + *rc::gen::inRange(0, 10)), 1};
    const Pass pass = paired();
    const Order order = order_of(named("dualpipe"), shape);
    const double bubble = (p / 2.0 - 1) * (pass.pair + pass.input + pass.weight - 3 * pass.weight);
    const Played<double> run = played(order, pass);
    RC_ASSERT(std::abs(run.idle(p / 2 - 1) - bubble) < 1e-9);
    RC_ASSERT(std::abs(run.idle(p / 2) - bubble) < 1e-9);
    for (std::int32_t s = 0; s < p; ++s) {
        RC_ASSERT(in_flight(order, s).peak() == p + 1);
        RC_ASSERT(in_flight(order, s).peak_weights() == p + 1);
    }
}

RC_GTEST_PROP(Schedules, DualPipeVTakesAsLongAsTheDualPipeThatItIsHalfOf, ()) {
    const std::int32_t p = *rc::gen::inRange(1, 6);
    const std::int32_t m = 2 * p + *rc::gen::inRange(0, 10);
    const Pass pass = paired();
    const Order whole = order_of(named("dualpipe"), {2 * p, 2 * m, 1});
    const Order half = order_of(named("dualpipe-v"), {p, m, 2});
    RC_ASSERT(std::abs(played(half, pass).makespan - played(whole, pass).makespan) < 1e-9);
    for (std::int32_t s = 0; s < p; ++s) {
        RC_ASSERT(in_flight(half, s).peak() == 2 * p + 1);
    }
}

RC_GTEST_PROP(Schedules, PipeDreamGoesOnAtThePaceOfItsSlowestStage, ()) {
    const Shape shape{*rc::gen::inRange(1, 5), 200, 1};
    Durations<double> durations = any_durations(shape.stages);
    double slowest = 0;
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        slowest = std::max(slowest, durations.of(TaskKind::forward, s) + durations.of(TaskKind::backward, s));
    }
    RC_ASSERT(steady_time(named("pipedream"), shape, 1, durations) == slowest);
    RC_ASSERT(steady_time(named("pipedream"), shape, 3, durations) == 3 * slowest);
}

TEST(Schedules, FollowTheStepsOfTheirAuthors) {
    // By hand from the steps in the headers of schedules/.
    EXPECT_EQ(to_csv(order_of(named("interleaved-1f1b"), {2, 2, 2})),
              "0F0,0F1,2F0,2F1,2B0,2B1,0B0,0B1\n"
              "1F0,1F1,3F0,3B0,3F1,3B1,1B0,1B1\n");
    EXPECT_EQ(to_csv(order_of(named("zb-h1"), {2, 3, 1})),
              "0F0,0F1,0I0,0W0,0F2,0I1,0W1,0I2,0W2\n"
              "1F0,1I0,1F1,1I1,1W0,1F2,1I2,1W1,1W2\n");
    EXPECT_EQ(to_csv(order_of(named("zb-v"), {2, 2, 2})),  // fewer than 2p - 1 micro-batches
              "0F0,0F1,3F0,3I0,3W0,3F1,3I1,3W1,0I0,0W0,0I1,0W1\n"
              "1F0,2F0,1F1,2F1,2I0,2W0,1I0,1W0,2I1,2W1,1I1,1W1\n");
    EXPECT_EQ(to_csv(order_of(named("dualpipe-v"), {2, 4, 2})),
              "0F0,0F1,0F2,3F0,3I0,3W0,3F1,(0F3;3B1)OVERLAP_F_B,(3F2;0B0)OVERLAP_F_B,3B2,(3F3;0B1)OVERLAP_F_B,3B3,0I2,"
              "0W2,0I3,0W3\n"
              "1F0,2F0,1F1,2F1,1F2,2B0,(2F2;1B0)OVERLAP_F_B,(1F3;2B1)OVERLAP_F_B,(2F3;1B1)OVERLAP_F_B,2B2,1B2,2I3,1I3,"
              "2W3,1W3\n");
    EXPECT_EQ(to_csv(order_of(named("breadth-first"), {2, 2, 2})),
              "0F0,0F1,2F0,2F1,2B0,2B1,0B0,0B1\n"
              "1F0,1F1,3F0,3F1,3B0,3B1,1B0,1B1\n");
}

TEST(Schedules, StashTheVersionsOfTheWeightsThatMicroBatchesInFlightStartedWith) {
    // PipeDream, section 3.3: every micro-batch updates the weights, a stage keeps one version for each in flight.
    for (std::int64_t s = 0; s < 4; ++s) {
        EXPECT_EQ(weight_versions(named("pipedream"), 4, 1, s), 4 - s);
    }
    // PipeDream-2BW, section 3.1: two versions if there are no fewer micro-batches between updates than stages.
    EXPECT_EQ(weight_versions(named("pipedream"), 4, 4, 0), 2);
    EXPECT_EQ(weight_versions(named("pipedream"), 4, 100, 0), 2);
    EXPECT_EQ(weight_versions(named("pipedream"), 4, 2, 0), 3);  // 3 micro-batches before the one that begins
    EXPECT_EQ(weight_versions(named("pipedream"), 4, 100, 3), 1);
    EXPECT_EQ(weight_versions(named("1f1b"), 4, 8, 0), 1);
}

/// The largest sum over what a stage may hold, with the weights of a whole pass and of what gradients of weights need.
double heaviest(const std::vector<Holding>& held, double whole, double for_weights) {
    double most = 0;
    for (const Holding& holding : held) {
        double sum = 0;
        for (std::size_t i = 0; i < holding.whole.size(); ++i) {
            sum += whole * static_cast<double>(holding.whole[i]) +
                   for_weights * static_cast<double>(holding.for_weights[i]);
        }
        most = std::max(most, sum);
    }
    return most;
}

RC_GTEST_PROP(Schedules, OfZeroBubblesHoldWhatTheirAuthorsState, ()) {
    // Qi et al., table 2, stages from 0: ZB-H1 (p - s) M_B + s M_W, ZB-H2 (2 (p - s) - 1) M_B + 2 s M_W, where M_W <= M_B
    // is what gradients of weights need.
    const std::int32_t p = *rc::gen::inRange(1, 9);
    const std::int32_t m = 2 * p - 1 + *rc::gen::inRange(0, 20);
    const double for_weights = *rc::gen::inRange(0, 11) / 10.0;
    for (std::int32_t s = 0; s < p; ++s) {
        const auto held = [&](std::string_view name) {
            const Schedule& schedule = named(name);
            return most_held(order_of(schedule, {p, m, 1}), places_of(schedule, p, 1), s);
        };
        RC_ASSERT(std::abs(heaviest(held("zb-h1"), 1, for_weights) - (p - s + s * for_weights)) < 1e-9);
        RC_ASSERT(std::abs(heaviest(held("zb-h2"), 1, for_weights) - (2 * (p - s) - 1 + 2 * s * for_weights)) < 1e-9);
    }
}

RC_GTEST_PROP(Schedules, HoldAtMostWhatAWalkOverTheirOrderFinds, ()) {
    const Schedule schedule = any_schedule();
    const Shape shape = any_shape(schedule);
    const Order order = order_of(schedule, shape);
    const Places places = places_of(schedule, shape.stages, shape.virtual_stages);
    RC_PRE(places.placement == schedule.traits.placement);
    std::vector<double> dropped;
    std::vector<double> for_weights;
    for (std::int32_t k = 0; k < order.positions(); ++k) {
        dropped.push_back(*rc::gen::inRange(0, 9));
        for_weights.push_back(*rc::gen::inRange(0, 9));
    }
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        double most = 0;
        for (const Holding& holding : most_held(order, places, s)) {
            double sum = 0;
            for (std::int64_t i = 0; i < places.on_stage(); ++i) {
                const auto at = static_cast<std::size_t>(i);
                const auto k = static_cast<std::size_t>(places.position(s, i));
                sum += static_cast<double>(holding.whole[at]) * (dropped[k] + for_weights[k]) +
                       static_cast<double>(holding.for_weights[at]) * for_weights[k];
            }
            most = std::max(most, sum);
        }
        RC_ASSERT(most == peak_held(order, s, dropped, for_weights));
    }
}

TEST(Schedules, PlacePositionsAsTheirOrdersDo) {
    for (const Schedule& schedule : schedules()) {
        for (const Shape& shape : {Shape{4, 16, 1}, Shape{4, 16, 2}, Shape{6, 24, 3}}) {
            if (schedule.unmet(shape)) {
                continue;
            }
            const Places places = places_of(schedule, shape.stages, shape.virtual_stages);
            const auto directions = place(schedule.traits.placement, shape);
            EXPECT_EQ(places.positions(), static_cast<std::int64_t>(directions.front().size()));
            EXPECT_EQ(places.copies(), static_cast<std::int64_t>(directions.size()));
            for (std::int64_t k = 0; k < places.positions(); ++k) {
                EXPECT_EQ(places.stage(k), directions.front()[static_cast<std::size_t>(k)]) << schedule.name;
                EXPECT_EQ(places.position(places.stage(k), places.index(k)), k) << schedule.name;
            }
            for (std::int64_t s = 0; s < shape.stages; ++s) {
                for (std::int64_t i = 0; i < places.on_stage(); ++i) {
                    const std::int64_t k = places.position(s, i);
                    const auto& direction = directions[places.copies() == 2 ? static_cast<std::size_t>(i) : 0];
                    EXPECT_EQ(direction[static_cast<std::size_t>(k)], s) << schedule.name;
                    const std::int64_t before = k > 0 ? direction[static_cast<std::size_t>(k - 1)] : s;
                    EXPECT_EQ(places.sender(s, i).value_or(s), before) << schedule.name << " " << k;
                }
            }
        }
    }
}

RC_GTEST_PROP(Schedules, OverlappedTakesAPairForEachMicroBatchButOne, ()) {
    // p (F + B) + (m - 1) F&B; 2 (p - s) micro-batches in flight.
    const std::int32_t p = *rc::gen::inRange(2, 9);
    const std::int32_t m = 2 * p + *rc::gen::inRange(0, 20);
    const Pass pass = paired();
    const Order order = order_of(named("1f1b-overlapped"), {p, m, 1});
    const double alone = pass.forward + pass.input + pass.weight;
    RC_ASSERT(std::abs(played(order, pass).makespan - (p * alone + (m - 1) * pass.pair)) < 1e-9);
    for (std::int32_t s = 0; s < p; ++s) {
        RC_ASSERT(in_flight(order, s).peak() == 2 * (p - s));
    }
}

RC_GTEST_PROP(Schedules, WithRoundsRepeatThem, ()) {
    // Of more rounds than are played, those left out take as long as three of those played, divided by three.
    const Schedule schedule = any_schedule();
    RC_PRE(schedule.traits.has_rounds);
    const std::int32_t p = 2 * *rc::gen::inRange(1, 4);
    const std::int32_t v = std::min(schedule.traits.virtual_stages.most,
                                    std::max(schedule.traits.virtual_stages.least, *rc::gen::inRange(1, 4)));
    const std::int32_t m = kRounds * p + *rc::gen::inRange(0, p);
    RC_PRE(!schedule.unmet({p, m, v}));
    const Order order = order_of(schedule, {p, m, v});
    const Durations<double> durations = any_durations(order.positions());
    const double steady = steady_time(schedule, {p, m, v}, 3 * p, durations);
    RC_ASSERT(steady_time(schedule, {p, m + 3 * p, v}, 3 * p, durations) == steady);
}

TEST(Schedules, SayWhatTheyDo) {
    // The traits of a row are what its order shows.
    for (const Schedule& schedule : schedules()) {
        Shape shape{4, 16, 2};
        if (schedule.unmet(shape)) {
            shape.virtual_stages = 1;
        }
        const Order order = order_of(schedule, shape);
        bool splits = false;
        bool overlaps = false;
        for (const std::vector<Task>& stage : order.stages) {
            for (const Task& task : stage) {
                splits = splits || task.kind == TaskKind::backward_weight;
                overlaps = overlaps || task.overlaps_next;
            }
        }
        EXPECT_EQ(splits, schedule.traits.splits_backward) << schedule.name;
        EXPECT_EQ(overlaps, schedule.traits.overlaps_pairs) << schedule.name;
        EXPECT_EQ(order.directions, place(schedule.traits.placement, shape)) << schedule.name;
        EXPECT_EQ(order.directions.size(), static_cast<std::size_t>(schedule.traits.parameter_copies)) << schedule.name;
        EXPECT_EQ(schedule.traits.stashes_weights, !schedule.traits.flushes) << schedule.name;
    }
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
    EXPECT_EQ(unmet("zb-v", {4, 8, 1}), "the schedule has two virtual stages on each stage, not 1");
    EXPECT_EQ(unmet("zb-v", {4, 3, 2}), "nothing");
    EXPECT_EQ(unmet("dualpipe", {3, 12, 1}),
              "micro-batches enter at both ends: numbers of stages and micro-batches are even, not 3 and 12");
    EXPECT_EQ(unmet("dualpipe", {4, 13, 1}),
              "micro-batches enter at both ends: numbers of stages and micro-batches are even, not 4 and 13");
    EXPECT_EQ(unmet("dualpipe", {4, 6, 1}), "4 stages need at least 8 micro-batches, not 6");
    EXPECT_EQ(unmet("dualpipe-v", {4, 7, 2}), "4 stages need at least 8 micro-batches, not 7");
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
