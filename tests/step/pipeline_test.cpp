// Closed forms of pipeline schedules against an event-driven run of the same schedules.
#include "step/pipeline.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

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

double closed_form(const StageTimes& times, std::size_t microbatches) {
    std::vector<Seconds> passes;
    for (std::size_t s = 0; s < times.forward.size(); ++s) {
        passes.push_back(Seconds::of_base(times.forward[s] + times.backward[s]));
    }
    return pipeline_time(passes, static_cast<std::int64_t>(microbatches), 1).total.in(unit::second);
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
    // Fast stages beside a slow one absorb part of the filling, so the run may be shorter; the gap is bounded.
    const double run = play(times, microbatches, false);
    RC_ASSERT(run >= m * slowest - 1e-9);
    RC_ASSERT(run <= found * (1 + 1e-9));
    RC_ASSERT(run >= 0.75 * found);
}

TEST(Pipeline, InterleavingDividesTheBubbleByTheChunks) {
    const std::vector<Seconds> passes(4, Seconds::of_base(6));
    EXPECT_DOUBLE_EQ(pipeline_time(passes, 8, 1).bubble.in(unit::second), 18.0);
    EXPECT_DOUBLE_EQ(pipeline_time(passes, 8, 3).bubble.in(unit::second), 6.0);
}

TEST(Pipeline, TransfersAreThoseOfParaDlsTable3) {
    // p = 4, S = 8: 2 (p + S - 2) = 20 transfers of 1 s.
    const std::vector<Seconds> equal{{}, Seconds::of_base(1), Seconds::of_base(1), Seconds::of_base(1)};
    EXPECT_DOUBLE_EQ(pipeline_transfers(equal, 8, 1, false).in(unit::second), 20.0);
    EXPECT_DOUBLE_EQ(pipeline_transfers(equal, 8, 1, true).in(unit::second), 6.0);
    EXPECT_DOUBLE_EQ(pipeline_transfers(std::vector<Seconds>(1), 8, 1, false).in(unit::second), 0.0);
    // Unequal ones: every boundary fills, the slowest sets the pace: 2 (1 + 3 + 7 * 3).
    const std::vector<Seconds> unequal{{}, Seconds::of_base(1), Seconds::of_base(3)};
    EXPECT_DOUBLE_EQ(pipeline_transfers(unequal, 8, 1, false).in(unit::second), 50.0);
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
