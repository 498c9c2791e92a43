// Schedules of trials: the vectors of the PyCOMPSs study, by hand, and Graham's bounds on drawn trials.
//
// Source of the grids: A. Kahira et al., "Accelerating hyperparameter optimisation with PyCOMPSs" (program code: MNIST
// with 10, 20 and 50 epochs, CIFAR-10 with 20, 50 and 100, three optimizers, three batch sizes). Makespans in epochs of
// equal length are derived: FIFO is played by hand in waves, LPT likewise.
#include "trials/schedule.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::trials::testing {
namespace schedule_test {

/// Nine trials of each length, short ones first.
std::vector<Job> nine_of_each(std::array<int, 3> epochs) {
    std::vector<Job> jobs;
    for (const int length : epochs) {
        jobs.insert(jobs.end(), 9, {length * unit::second, {.cores = 1}});
    }
    return jobs;
}

double makespan(const std::vector<Job>& jobs, std::int64_t slots, Policy policy) {
    return schedule(jobs, {1, {.cores = slots}}, policy).makespan.in(unit::second);
}

TEST(Schedule, OfTwentySevenTrialsIsThatOfTheTable) {
    struct Row {
        std::int64_t slots;
        double fifo;
        double lpt;
        double lower;
    };
    constexpr std::array kTable{Row{1, 720, 720, 720}, Row{2, 380, 360, 360}, Row{3, 240, 240, 240},
                                Row{4, 210, 180, 180}, Row{6, 140, 120, 120}, Row{8, 130, 100, 90},
                                Row{12, 80, 60, 60},   Row{24, 60, 50, 50},   Row{27, 50, 50, 50}};
    const std::vector<Job> mnist = nine_of_each({10, 20, 50});
    for (const Row& row : kTable) {
        EXPECT_DOUBLE_EQ(makespan(mnist, row.slots, Policy::fifo), row.fifo) << row.slots;
        EXPECT_DOUBLE_EQ(makespan(mnist, row.slots, Policy::lpt), row.lpt) << row.slots;
        EXPECT_DOUBLE_EQ(bounds(mnist, {1, {.cores = row.slots}}).lower.in(unit::second), row.lower) << row.slots;
    }
    const std::vector<Job> cifar = nine_of_each({20, 50, 100});
    EXPECT_DOUBLE_EQ(makespan(cifar, 4, Policy::fifo), 440);
    EXPECT_DOUBLE_EQ(makespan(cifar, 4, Policy::lpt), 390);
    EXPECT_DOUBLE_EQ(bounds(cifar, {1, {.cores = 4}}).lower.in(unit::second), 382.5);
}

TEST(Schedule, HasAsManySlotsAsCoresAndGpusLeave) {
    const Pool node{1, {.cores = 48}};
    const std::array<std::int64_t, 5> cores{1, 2, 4, 8, 16};
    const std::array<std::int64_t, 5> slots{48, 24, 12, 6, 3};
    for (std::size_t i = 0; i < cores.size(); ++i) {
        EXPECT_EQ(node.slots({.cores = cores[i]}), slots[i]);
    }
    EXPECT_EQ((Pool{2, {.cores = 48, .gpus = 4}}.slots({.cores = 8, .gpus = 1})), 8) << "four GPUs a node";
    EXPECT_EQ((Pool{2, {.cores = 48, .gpus = 4}}.slots({.cores = 32, .gpus = 1})), 2) << "48 cores a node";
    EXPECT_EQ((Pool{4, {.gpus = 4}}.slots({.gpus = 8})), 2) << "two nodes each";
    EXPECT_EQ((Pool{4, {.gpus = 4}}.slots({.gpus = 6})), 0) << "whole nodes only";
    EXPECT_EQ((Pool{1, {.cores = 4}}.slots({.gpus = 1})), 0);
}

TEST(Schedule, UtilisationIsTheShareOfUnitsHeld) {
    // 30 + 10 on two cores of two: 40 of 60 core-seconds.
    const std::vector<Job> jobs{{30 * unit::second, {.cores = 1}}, {10 * unit::second, {.cores = 1}}};
    EXPECT_DOUBLE_EQ(schedule(jobs, {1, {.cores = 2}}, Policy::fifo).utilisation, 40.0 / 60);
}

TEST(Schedule, FifoWaitsForTheFirstAndBackfillFillsTheHoleWithoutDelay) {
    // Two cores: A takes 1 for 10, B both for 5, C 1 for 10, D 1 for 11.
    const std::vector<Job> jobs{{10 * unit::second, {.cores = 1}},
                                {5 * unit::second, {.cores = 2}},
                                {10 * unit::second, {.cores = 1}},
                                {11 * unit::second, {.cores = 1}}};
    const Pool pool{1, {.cores = 2}};
    const auto start_of = [&](Policy policy, std::size_t job) {
        for (const TrialRun& run : schedule(jobs, pool, policy).runs) {
            if (run.job == job) {
                return run.start.in(unit::second);
            }
        }
        return -1.0;
    };
    EXPECT_EQ(start_of(Policy::fifo, 1), 10);
    EXPECT_EQ(start_of(Policy::fifo, 2), 15) << "C waits behind B";
    EXPECT_EQ(start_of(Policy::backfill, 2), 0) << "C ends when B can start";
    EXPECT_EQ(start_of(Policy::backfill, 1), 10) << "B is not delayed";
    EXPECT_EQ(start_of(Policy::backfill, 3), 15) << "D would have delayed B";
}

TEST(Schedule, TrialsOfSeveralNodesTakeNeighbours) {
    const std::vector<Job> jobs{{1 * unit::second, {.gpus = 1}}, {1 * unit::second, {.gpus = 8}}};
    const Schedule played = schedule(jobs, {3, {.gpus = 4}}, Policy::fifo);
    ASSERT_EQ(played.runs.size(), 2U);
    EXPECT_EQ(played.runs[1].place.node, 1);
    EXPECT_EQ(played.runs[1].place.nodes, 2);
    EXPECT_DOUBLE_EQ(played.makespan.in(unit::second), 1);
    EXPECT_DOUBLE_EQ(played.utilisation, 9.0 / 12);
}

TEST(Schedule, OnALostNodeNothingStarts) {
    Scheduler scheduler({{1 * unit::second, {.cores = 1}}, {1 * unit::second, {.cores = 1}}}, {2, {.cores = 1}},
                        Policy::fifo);
    scheduler.lose(0);
    const std::vector<Start> started = scheduler.start({});
    ASSERT_EQ(started.size(), 1U);
    EXPECT_EQ(started.front().place.node, 1);
    scheduler.lose(1);
    EXPECT_FALSE(scheduler.can_hold({.cores = 1}));
}

RC_GTEST_PROP(Schedule, IsWithinGrahamsBounds, ()) {
    const auto lengths = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 100)));
    const auto slots = static_cast<std::int64_t>(*rc::gen::inRange(1, 9));
    std::vector<Job> jobs;
    for (const int length : lengths) {
        jobs.push_back({length * unit::second, {.cores = 1}});
    }
    const Bounds bound = bounds(jobs, {1, {.cores = slots}});
    const double lower = bound.lower.in(unit::second);
    for (const Policy policy : kPolicies) {
        RC_ASSERT(makespan(jobs, slots, policy) >= lower * (1 - 1e-12));
        RC_ASSERT(makespan(jobs, slots, policy) <= lower * *bound.list_factor * (1 + 1e-12));
    }
}

/// With these lengths the best schedule is known: Graham's example, on which LPT is as far off as it can be.
TEST(Schedule, LongestFirstMeetsItsBoundOnGrahamsExample) {
    // m = 3: 5 5 4 4 3 3 3; best 9 = {5,4} {5,4} {3,3,3}, LPT 11 = 4/3 - 1/9 times as long.
    std::vector<Job> jobs;
    for (const int length : {5, 5, 4, 4, 3, 3, 3}) {
        jobs.push_back({length * unit::second, {.cores = 1}});
    }
    EXPECT_DOUBLE_EQ(makespan(jobs, 3, Policy::lpt), 11);
    EXPECT_DOUBLE_EQ(*bounds(jobs, {1, {.cores = 3}}).lpt_factor * 9, 11);
}

RC_GTEST_PROP(Schedule, NeverHoldsMoreThanThereIs, ()) {
    const auto sizes = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(1, 50), rc::gen::inRange(1, 5))));
    std::vector<Job> jobs;
    for (const auto& [length, cores] : sizes) {
        jobs.push_back({length * unit::second, {.cores = cores}});
    }
    const Pool pool{2, {.cores = 4}};
    for (const Policy policy : kPolicies) {
        const Schedule played = schedule(jobs, pool, policy);
        RC_ASSERT(played.runs.size() == jobs.size());
        for (const TrialRun& at : played.runs) {
            std::int64_t held = 0;
            for (const TrialRun& run : played.runs) {
                const bool runs = run.start <= at.start && at.start < run.end && run.place.node == at.place.node;
                held += runs ? jobs[run.job].units.cores : 0;
                RC_ASSERT(!runs || run.job == at.job || run.place.lane != at.place.lane);
            }
            RC_ASSERT(held <= pool.node.cores);
        }
        RC_ASSERT(played.makespan >= bounds(jobs, pool).lower * (1 - 1e-12));
    }
}

}  // namespace schedule_test
}  // namespace dodona::trials::testing
