// What overlap leaves exposed.
#include "schedule/stage_time.hpp"

#include <gtest/gtest.h>

namespace dodona::schedule {
namespace {

constexpr Seconds seconds(double value) { return Seconds::of_base(value); }

TEST(Exposed, WithoutOverlapAllOfATransferShows) {
    EXPECT_EQ(exposed(seconds(3), seconds(100), 10, false), seconds(3));
}

TEST(Exposed, TheLastBucketHasNothingToHideBehind) {
    // 10 buckets of 0.3 s beside 100 s of compute: one bucket shows.
    EXPECT_DOUBLE_EQ(exposed(seconds(3), seconds(100), 10, true).in(unit::second), 0.3);
}

TEST(Exposed, WhatIsLongerThanTheWindowShows) {
    // 30 s beside 10 s in 10 buckets: 30 - 10 * 0.9 = 21 s.
    EXPECT_DOUBLE_EQ(exposed(seconds(30), seconds(10), 10, true).in(unit::second), 21.0);
}

TEST(Exposed, OneBucketCannotBeHidden) { EXPECT_EQ(exposed(seconds(3), seconds(100), 1, true), seconds(3)); }

TEST(Exposed, GathersForBackwardLeaveReductionsLessToHideBehind) {
    StagePass pass;
    pass.forward.compute = Estimate::exactly(seconds(10));
    pass.backward.compute = Estimate::exactly(seconds(20));
    plan::Plan plan;
    plan.overlap = {.gradients = true, .parameters = true};
    const auto transfer = [](StateTransfer::What what, plan::Phase beside, double time) {
        StateTransfer t;
        t.what = what;
        t.per_pass = true;
        t.beside = beside;
        t.time.time = Estimate::exactly(seconds(time));
        return t;
    };
    const std::vector<StateTransfer> transfers{transfer(StateTransfer::What::parameters, plan::Phase::backward, 15),
                                               transfer(StateTransfer::What::gradients, plan::Phase::backward, 15)};
    // 100 buckets. Gathers: max(0.15, 15 - 20 * 0.99) = 0.15 exposed, 14.85 hidden; 5.15 s are left for reductions:
    // 15 - 5.15 * 0.99 = 9.9015.
    const ExposedStates found = exposed_states(transfers, pass, {cluster::Cluster{}, plan, 1, 100});
    EXPECT_NEAR(found.parameters.in(unit::second), 0.15, 1e-12);
    EXPECT_NEAR(found.gradients.in(unit::second), 9.9015, 1e-9);
    EXPECT_EQ(found.gradients_busy, seconds(15));
}

}  // namespace
}  // namespace dodona::schedule
