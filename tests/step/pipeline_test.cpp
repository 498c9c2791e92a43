// Closed forms of pipeline schedules against an event-driven run of the same schedules, and their derivatives.
#include "step/pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "schedule/in_flight.hpp"
#include "schedule/play.hpp"

namespace dodona::step {
namespace pipeline_test {

struct StageTimes {
    std::vector<double> forward;
    std::vector<double> backward;
};

/// One pass of a stage: forward or backward of a micro-batch.
struct Pass {
    bool forward;
    std::size_t microbatch;
};

/// The order in which a stage runs its passes: 1F1B warms up with p - s - 1 forwards; GPipe with all.
std::vector<Pass> order_of(std::size_t stage, std::size_t stages, std::size_t microbatches, bool gpipe) {
    std::vector<Pass> order;
    const std::size_t warm_up = gpipe ? microbatches : std::min(microbatches, stages - stage - 1);
    for (std::size_t i = 0; i < warm_up; ++i) {
        order.push_back({true, i});
    }
    std::size_t next_forward = warm_up;
    for (std::size_t i = 0; i < microbatches; ++i) {
        if (next_forward < microbatches) {
            order.push_back({true, next_forward++});
        }
        order.push_back({false, i});
    }
    return order;
}

/// Plays the orders with their dependencies: a forward waits for the stage before, a backward for the stage after.
double play(const StageTimes& times, std::size_t microbatches, bool gpipe) {
    const std::size_t p = times.forward.size();
    std::vector<std::vector<double>> forward_done(p, std::vector<double>(microbatches, -1));
    std::vector<std::vector<double>> backward_done = forward_done;
    std::vector<std::vector<Pass>> orders;
    std::vector<std::size_t> next(p, 0);
    std::vector<double> free_at(p, 0);
    for (std::size_t s = 0; s < p; ++s) {
        orders.push_back(order_of(s, p, microbatches, gpipe));
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t s = 0; s < p; ++s) {
            while (next[s] < orders[s].size()) {
                const Pass pass = orders[s][next[s]];
                double ready = 0;
                if (pass.forward && s > 0) {
                    ready = forward_done[s - 1][pass.microbatch];
                } else if (!pass.forward) {
                    ready = s + 1 < p ? backward_done[s + 1][pass.microbatch] : forward_done[s][pass.microbatch];
                }
                if (ready < 0) {
                    break;
                }
                const double end = std::max(ready, free_at[s]) + (pass.forward ? times.forward[s] : times.backward[s]);
                free_at[s] = end;
                (pass.forward ? forward_done : backward_done)[s][pass.microbatch] = end;
                ++next[s];
                moved = true;
            }
        }
    }
    return *std::max_element(free_at.begin(), free_at.end());
}

std::vector<Position<Seconds>> positions_of(const StageTimes& times) {
    std::vector<Position<Seconds>> positions;
    for (std::size_t s = 0; s < times.forward.size(); ++s) {
        positions.push_back(
            {.forward = Seconds::of_base(times.forward[s]), .back = Seconds::of_base(times.backward[s])});
    }
    return positions;
}

template <class Number>
Pipeline<Number> pipeline(const std::vector<Position<Number>>& positions, std::size_t microbatches,
                          std::int64_t virtual_stages = 1) {
    return {.positions = positions,
            .stages = static_cast<std::int64_t>(positions.size()) / virtual_stages,
            .microbatches = static_cast<std::int64_t>(microbatches),
            .schedule =
                virtual_stages > 1 ? plan::ScheduleKind::interleaved : plan::ScheduleKind::one_forward_one_backward};
}

double total(const Pipeline<Seconds>& pipeline) {
    PlayedOrders orders;
    return pipeline_total(pipeline, orders).in(unit::second);
}

double closed_form(const StageTimes& times, std::size_t microbatches, bool gpipe = false) {
    const std::vector<Position<Seconds>> positions = positions_of(times);
    Pipeline<Seconds> asked = pipeline(positions, microbatches);
    asked.schedule = gpipe ? plan::ScheduleKind::gpipe : asked.schedule;
    return total(asked);
}

TEST(Pipeline, EqualStagesTakeMicrobatchesPlusStagesLessOnePasses) {
    // 4 stages, 8 micro-batches, forward 1 s, backward 2 s: (8 + 3) * 3 = 33 s.
    const StageTimes times{{1, 1, 1, 1}, {2, 2, 2, 2}};
    EXPECT_DOUBLE_EQ(closed_form(times, 8), 33.0);
    EXPECT_DOUBLE_EQ(play(times, 8, false), 33.0);
    EXPECT_DOUBLE_EQ(play(times, 8, true), 33.0);
}

RC_GTEST_PROP(Pipeline, EqualStagesMatchAnEventDrivenRunOfBothSchedules, ()) {
    const auto stages = *rc::gen::inRange<std::size_t>(1, 9);
    const auto microbatches = *rc::gen::inRange<std::size_t>(1, 17);
    const double forward = *rc::gen::inRange(1, 9);
    const double backward = *rc::gen::inRange(1, 9);
    const StageTimes times{std::vector<double>(stages, forward), std::vector<double>(stages, backward)};
    const double expected = closed_form(times, microbatches);
    RC_ASSERT(std::abs(play(times, microbatches, false) - expected) < 1e-9 * expected);
    RC_ASSERT(std::abs(play(times, microbatches, true) - expected) < 1e-9 * expected);
    RC_ASSERT(std::abs(closed_form(times, microbatches, true) - expected) < 1e-9 * expected);
}

RC_GTEST_PROP(Pipeline, UnevenStagesAreNeverFasterThanTheSlowestAloneNorSlowerThanAllLikeIt, ()) {
    const auto stages = *rc::gen::inRange<std::size_t>(2, 7);
    const auto microbatches = *rc::gen::inRange<std::size_t>(1, 13);
    StageTimes times;
    double slowest = 0;
    for (std::size_t s = 0; s < stages; ++s) {
        times.forward.push_back(*rc::gen::inRange(1, 9));
        times.backward.push_back(2 * times.forward.back());
        slowest = std::max(slowest, times.forward.back() + times.backward.back());
    }
    const double found = closed_form(times, microbatches);
    const auto m = static_cast<double>(microbatches);
    RC_ASSERT(found >= m * slowest - 1e-9);
    // ParaDL's Table 3 charges every stage like the slowest: (m + p - 1) of its passes.
    RC_ASSERT(found <= (m + static_cast<double>(stages) - 1) * slowest + 1e-9);
    // The closed form of 1F1B is a lower bound, close even where stages differ up to eightfold; that of GPipe is exact.
    const double run = play(times, microbatches, false);
    RC_ASSERT(run >= found * (1 - 1e-9));
    RC_ASSERT(run <= 1.12 * found);
    const double all_forward_first = play(times, microbatches, true);
    RC_ASSERT(std::abs(closed_form(times, microbatches, true) - all_forward_first) < 1e-9 * all_forward_first);
}

RC_GTEST_PROP(Pipeline, StagesThatDifferByHalfArePredictedWithinThreePercent, ()) {
    const auto stages = *rc::gen::inRange<std::size_t>(2, 13);
    const auto microbatches = *rc::gen::inRange<std::size_t>(1, 65);
    StageTimes times;
    for (std::size_t s = 0; s < stages; ++s) {
        times.forward.push_back(*rc::gen::inRange(20, 30));
        times.backward.push_back(2 * times.forward.back());
    }
    const double found = closed_form(times, microbatches);
    const double run = play(times, microbatches, false);
    RC_ASSERT(run >= found * (1 - 1e-9));
    RC_ASSERT(run <= 1.03 * found);
}

std::vector<Position<Seconds>> equal(std::size_t count, double forward, double back, double receive = 0) {
    std::vector<Position<Seconds>> positions(
        count,
        {.forward = Seconds::of_base(forward), .back = Seconds::of_base(back), .receive = Seconds::of_base(receive)});
    positions.front().receive = {};
    return positions;
}

TEST(Pipeline, InterleavingDividesTheBubbleByTheVirtualStages) {
    PlayedOrders orders;
    EXPECT_DOUBLE_EQ(pipeline_time(pipeline(equal(4, 2, 4), 8), orders).bubble.in(unit::second), 18.0);
    EXPECT_DOUBLE_EQ(pipeline_time(pipeline(equal(12, 2.0 / 3, 4.0 / 3), 8, 3), orders).bubble.in(unit::second), 6.0);
}

TEST(Pipeline, InterleavingOverUnequalPositionsIsPlayed) {
    // An embedding and a head take half as long again: longer than equal positions, shorter than all like those.
    std::vector<Position<Seconds>> positions = equal(12, 1, 2);
    const double even = total(pipeline(positions, 8, 3));
    positions.back() = {.forward = Seconds::of_base(1.5), .back = Seconds::of_base(3)};
    const double uneven = total(pipeline(positions, 8, 3));
    EXPECT_GT(uneven, even);
    EXPECT_LT(uneven, 1.5 * even);
    // Four stages do not divide six micro-batches: no order, as if equal.
    EXPECT_GT(total(pipeline(positions, 6, 3)), 6 * (1.0 + 1 + 1.5) * 3 - 1e-9);
}

TEST(Pipeline, SkipsTheSteadyStateOfManyRounds) {
    // Twenty rounds of four micro-batches take as long as the schedule that is played to its end.
    std::vector<Position<Seconds>> positions = equal(12, 1, 2, 0.1);
    positions[5] = {.forward = Seconds::of_base(1.4), .back = Seconds::of_base(2.5), .receive = Seconds::of_base(0.1)};
    positions.back().forward = Seconds::of_base(1.7);
    schedule::Durations<double> durations(12);
    for (std::int32_t k = 0; k < 12; ++k) {
        const Position<Seconds>& position = positions[static_cast<std::size_t>(k)];
        durations.of(schedule::TaskKind::forward, k) = position.forward.in(unit::second);
        durations.of(schedule::TaskKind::backward, k) = position.back.in(unit::second);
    }
    durations.forward_transfers.assign(11, 0.1);
    durations.backward_transfers.assign(11, 0.1);
    durations.blocking = true;
    schedule::Played<double> played;
    schedule::play(schedule::resolve(order_of(*schedule::find_schedule("interleaved-1f1b"), {4, 80, 3})), durations,
                   played);
    EXPECT_NEAR(total(pipeline(positions, 80, 3)), played.makespan, 1e-9 * played.makespan);
}

TEST(Pipeline, TransfersAreThoseOfParaDlsTable3) {
    // p = 4, S = 8: 2 (p + S - 2) = 20 transfers of 1 s.
    PlayedOrders orders;
    std::vector<Position<Seconds>> positions = equal(4, 3, 6, 1);
    Pipeline<Seconds> asked = pipeline(positions, 8);
    asked.schedule = plan::ScheduleKind::gpipe;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).transfers.in(unit::second), 20.0);
    // 1F1B: the first stage receives half as much, and waits less for the others.
    asked.schedule = plan::ScheduleKind::one_forward_one_backward;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).transfers.in(unit::second), 19.0);
    // Overlapped, each delays the round trip of stage 0: of four micro-batches 6 s, two round trips less one micro-batch.
    asked.transfers_overlap = true;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).transfers.in(unit::second), 6 * (1 + 7.0 / 4));
    // One stage receives nothing.
    const std::vector<Position<Seconds>> alone = equal(1, 3, 6);
    EXPECT_DOUBLE_EQ(pipeline_time(pipeline(alone, 8), orders).transfers.in(unit::second), 0.0);
    // A slow boundary costs the two stages beside it: both wait for it once a micro-batch, 7 (1 + 3) after the first.
    positions[2].receive = Seconds::of_base(3);
    asked.positions = positions;
    asked.transfers_overlap = false;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).transfers.in(unit::second), 2 * 1 + 3 + 2 * 1 + 7 * (1 + 3.0));
}

TEST(Pipeline, SlowTransfersSetThePaceThoughTheyOverlap) {
    const std::vector<Position<Seconds>> positions = equal(4, 3, 6, 100);
    Pipeline<Seconds> asked = pipeline(positions, 64);
    asked.transfers_overlap = true;
    EXPECT_GE(total(asked), 63 * 100.0);
}

/// The derivatives of a composed number are those by differences, and add up to it.
RC_GTEST_PROP(Pipeline, NumbersWithDerivativesGiveThoseOfTheTime, ()) {
    using cost::ErrorSource;
    using cost::Sourced;
    const auto stages = *rc::gen::inRange<std::size_t>(1, 5);
    const auto virtual_stages = *rc::gen::inRange<std::int64_t>(1, 4);
    const auto rounds = *rc::gen::inRange<std::size_t>(1, 13);
    const bool overlaps = *rc::gen::arbitrary<bool>();
    const auto source = [](ErrorSource of, double time) {
        Sourced number{.value = Seconds::of_base(time), .by_source = {}};
        number.by_source[of] = Estimate::exactly(number.value);
        return number;
    };
    std::vector<Position<Sourced>> positions;
    for (std::size_t k = 0; k < stages * static_cast<std::size_t>(virtual_stages); ++k) {
        const double forward = 1 + 0.001 * *rc::gen::inRange(0, 1000);
        const double receive = k == 0 || stages == 1 ? 0 : 0.0001 * *rc::gen::inRange(1, 1000);
        positions.push_back({.forward = source(ErrorSource::matmul, forward),
                             .back = source(ErrorSource::attention, 2.1 * forward),
                             .receive = source(ErrorSource::between_nodes, receive)});
    }
    PlayedOrders orders;
    const auto scaled = [&](double forward, double receive) {
        std::vector<Position<Seconds>> times;
        for (const Position<Sourced>& position : positions) {
            times.push_back({.forward = forward * position.forward.value,
                             .back = position.back.value,
                             .receive = receive * position.receive.value});
        }
        Pipeline<Seconds> asked = pipeline(times, stages * rounds, virtual_stages);
        asked.transfers_overlap = overlaps;
        return pipeline_total(asked, orders).in(unit::second);
    };
    Pipeline<Sourced> asked = pipeline(positions, stages * rounds, virtual_stages);
    asked.transfers_overlap = overlaps;
    const Sourced found = pipeline_total(asked, orders);
    const double whole = scaled(1, 1);
    RC_ASSERT(std::abs(found.value.in(unit::second)-whole) < 1e-9 * whole);
    const auto by = [&](ErrorSource of) { return found.by_source[of].value.in(unit::second); };
    RC_ASSERT(std::abs(by(ErrorSource::matmul) + by(ErrorSource::attention) + by(ErrorSource::between_nodes) - whole) <
              1e-9 * whole);
    constexpr double kSmall = 1e-7;
    const auto between = [&](double less, double more, double derivative) {
        // Where two paths are equally long, either derivative is right.
        const double slack = 1e-5 * whole;
        return std::min(less, more) - slack <= derivative && derivative <= std::max(less, more) + slack;
    };
    RC_ASSERT(between((whole - scaled(1 - kSmall, 1)) / kSmall, (scaled(1 + kSmall, 1) - whole) / kSmall,
                      by(ErrorSource::matmul)));
    RC_ASSERT(between((whole - scaled(1, 1 - kSmall)) / kSmall, (scaled(1, 1 + kSmall) - whole) / kSmall,
                      by(ErrorSource::between_nodes)));
}

TEST(Pipeline, HoldsAsManyMicrobatchesAsTheScheduleStarts) {
    using plan::ScheduleKind;
    EXPECT_EQ(in_flight(ScheduleKind::gpipe, 0, 4, 8, 1), (std::vector<std::int64_t>{8}));
    EXPECT_EQ(in_flight(ScheduleKind::one_forward_one_backward, 0, 4, 8, 1), (std::vector<std::int64_t>{4}));
    EXPECT_EQ(in_flight(ScheduleKind::one_forward_one_backward, 3, 4, 8, 1), (std::vector<std::int64_t>{1}));
    EXPECT_EQ(in_flight(ScheduleKind::one_forward_one_backward, 0, 4, 2, 1), (std::vector<std::int64_t>{2}));
    // Accumulation on one stage holds one micro-batch, whatever the schedule is called.
    EXPECT_EQ(in_flight(ScheduleKind::gpipe, 0, 1, 8, 1), (std::vector<std::int64_t>{1}));
}

/// The formulas are the largest over stages of what the order itself holds, put-off gradients of weights included.
TEST(Pipeline, HoldsWhatTheOrderOfTheScheduleHolds) {
    for (const plan::ScheduleKind kind : values_of(plan::kScheduleTable)) {
        const schedule::Schedule* schedule = schedule::find_schedule(name(kind));
        ASSERT_NE(schedule, nullptr) << name(kind);
        EXPECT_EQ(schedule->traits.splits_backward, plan::splits_backward(kind));
        const std::int32_t v = plan::has_virtual_stages(kind) ? 2 : 1;
        EXPECT_EQ(schedule->unmet({4, 8, 2}).has_value(), v == 1) << name(kind);
        for (const std::int32_t micro_batches : {4, 8, 32}) {
            const schedule::Order order = order_of(*schedule, {4, micro_batches, v});
            std::int64_t most = 0;
            std::int64_t formula = 0;
            for (std::int32_t s = 0; s < 4; ++s) {
                most = std::max(most, schedule::in_flight(order, s).peak_weights());
                const std::vector<std::int64_t> held = in_flight(kind, s, 4, micro_batches, v);
                formula = std::max(formula, std::accumulate(held.begin(), held.end(), std::int64_t{0}));
            }
            EXPECT_EQ(formula, most) << name(kind) << " " << micro_batches;
        }
    }
}

TEST(Pipeline, PuttingOffGradientsOfWeightsTakesTheAuthorsBubble) {
    // p = 4, m = 16, F = 2, I = 2, W = 1: (p - 1)(F + I - W) less than a bubble of (p - 1)(F + I + W).
    std::vector<Position<Seconds>> positions = equal(4, 2, 3);
    for (Position<Seconds>& position : positions) {
        position.weight_gradients = Seconds::of_base(1);
    }
    Pipeline<Seconds> asked = pipeline(positions, 16);
    EXPECT_DOUBLE_EQ(total(asked), 16 * 5 + 3 * 5.0);
    asked.schedule = plan::schedule_from("zb-h1").value();
    EXPECT_DOUBLE_EQ(total(asked), 16 * 5 + 3 * (2 + 2 - 1.0));
    PlayedOrders orders;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).bubble.in(unit::second), 9);
    EXPECT_LE(pipeline_bound(asked).in(unit::second), total(asked));
}

TEST(Pipeline, InterleavedFirstStageHoldsOnePlusAShareOfTheModel) {
    // p = 8, v = 3: p v + p - 1 = 31 passes, i.e. L (1 + 7/24) layers' worth.
    const auto held = in_flight(plan::ScheduleKind::interleaved, 0, 8, 64, 3);
    EXPECT_EQ(held, (std::vector<std::int64_t>{15, 8, 8}));
    // The last stage: (v-1) p + 1 = 17.
    const auto last = in_flight(plan::ScheduleKind::interleaved, 7, 8, 64, 3);
    EXPECT_EQ(last, (std::vector<std::int64_t>{8, 8, 1}));
}

}  // namespace pipeline_test
}  // namespace dodona::step
