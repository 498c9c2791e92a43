// What overlap leaves exposed.
#include "step/stage_time.hpp"

#include <gtest/gtest.h>

namespace dodona::step {
namespace stage_time_test {

constexpr Seconds seconds(double value) { return Seconds::of_base(value); }

TEST(Exposed, WithoutOverlapAllOfATransferShows) {
    EXPECT_EQ(exposed(seconds(3), seconds(100), 0.1, false), seconds(3));
}

TEST(Exposed, TheLastBucketHasNothingToHideBehind) {
    // 10 buckets of 0.3 s beside 100 s of compute: one bucket shows.
    EXPECT_DOUBLE_EQ(exposed(seconds(3), seconds(100), 0.1, true).in(unit::second), 0.3);
}

TEST(Exposed, WhatIsLongerThanTheWindowShows) {
    // 30 s beside 10 s in 10 buckets: 30 - 10 * 0.9 = 21 s.
    EXPECT_DOUBLE_EQ(exposed(seconds(30), seconds(10), 0.1, true).in(unit::second), 21.0);
}

TEST(Exposed, OneBucketCannotBeHidden) { EXPECT_EQ(exposed(seconds(3), seconds(100), 1, true), seconds(3)); }

// 30 s of a collective beside 10 s of products: a second more of compute hides 0.9 s more. Beside 100 s one of ten
// buckets shows, whatever compute takes.
TEST(Exposed, HasTheDerivativesOfWhatItIsComposedOf) {
    const auto sourced = [](double time, cost::ErrorSource source) {
        cost::Sourced number{.value = seconds(time), .by_source = {}};
        number.by_source[source] = Estimate::exactly(seconds(time));
        return number;
    };
    const cost::Sourced reduction = sourced(30, cost::ErrorSource::between_nodes);
    const auto by = [&](double compute, cost::ErrorSource source) {
        const cost::Sourced shown = exposed(reduction, sourced(compute, cost::ErrorSource::matmul), 0.1, true);
        return shown.by_source[source].value.in(unit::second);
    };
    EXPECT_DOUBLE_EQ(by(10, cost::ErrorSource::between_nodes), 30);
    EXPECT_DOUBLE_EQ(by(10, cost::ErrorSource::matmul), -9);
    EXPECT_DOUBLE_EQ(by(100, cost::ErrorSource::between_nodes), 3);
    EXPECT_DOUBLE_EQ(by(100, cost::ErrorSource::matmul), 0);
}

// 10 s of compute, 6 s of collectives of which 4 s are all-to-alls; 80 % of compute may hide them, at a tenth of what
// is hidden. Experts alone: 4 s go, 0.4 s come. Tensor alone: 2 s go. Both: 6 s. With 3 s of window 3 s go.
TEST(OverlapOfLayers, HidesAllToAllsWithExpertsAndTheOthersWithTensor) {
    SegmentCost segment;
    segment.forward.compute = Estimate::exactly(seconds(10));
    segment.forward.layer = Estimate::exactly(seconds(6));
    segment.forward.exchanged = Estimate::exactly(seconds(4));
    plan::Plan plan;
    plan.framework.number(plan::FrameworkParameter::overlap_layers).value = 0.8;
    plan.framework.number(plan::FrameworkParameter::interference).value = 0.1;
    const auto shown = [&](bool tensor, bool expert) {
        plan.overlap.tensor = tensor;
        plan.overlap.expert = expert;
        return segment_pass(segment, plan).forward.layer.value.in(unit::second);
    };
    EXPECT_DOUBLE_EQ(shown(false, false), 6);
    EXPECT_DOUBLE_EQ(shown(false, true), 2.4);
    EXPECT_DOUBLE_EQ(shown(true, false), 4.2);
    EXPECT_NEAR(shown(true, true), 0.6, 1e-12);
    plan.framework.number(plan::FrameworkParameter::overlap_layers).value = 0.3;
    EXPECT_NEAR(shown(false, true), 3.3, 1e-12);
}

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
    const ExposedStates found = exposed_states(transfers, pass, {cluster::Cluster{}, plan, 1, {0.01, 0.01, 0.01}});
    EXPECT_NEAR(found.parameters.in(unit::second), 0.15, 1e-12);
    EXPECT_NEAR(found.gradients.in(unit::second), 9.9015, 1e-9);
    EXPECT_EQ(found.gradients_busy, seconds(15));
}

}  // namespace stage_time_test
}  // namespace dodona::step
