// What overlap leaves exposed.
#include "step/stage_time.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/replica.hpp"

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
    const auto dual = [](double time, cost::ErrorSource source) {
        cost::DualTime number{.value = seconds(time), .by_source = {}};
        number.by_source[source] = Estimate::exactly(seconds(time));
        return number;
    };
    const cost::DualTime reduction = dual(30, cost::ErrorSource::between_nodes);
    const auto by = [&](double compute, cost::ErrorSource source) {
        const cost::DualTime shown = exposed(reduction, dual(compute, cost::ErrorSource::matmul), 0.1, true);
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
        const double layer = segment_pass(segment, plan).forward.layer.value.in(unit::second);
        EXPECT_NEAR(overlapped(seconds_of(segment.forward), plan).layer.in(unit::second), layer, 1e-12)
            << "the search's own sum";
        return layer;
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

TEST(PassSeconds, ScaleAndAddInAllTheirParts) {
    const PassSeconds pass{seconds(1), seconds(2), seconds(3), seconds(4), seconds(0.5), 6};
    PassSeconds sum = 4.0 * pass;
    sum += pass;
    EXPECT_EQ(sum.compute, seconds(5));
    EXPECT_EQ(sum.layer, seconds(10));
    EXPECT_EQ(sum.exchanged, seconds(15));
    EXPECT_EQ(sum.halo, seconds(20));
    EXPECT_EQ(sum.weight_gradients, seconds(2.5));
    EXPECT_EQ(sum.launches, 30);
    EXPECT_EQ(sum.total(), seconds(5 + 10 + 20)) << "what is exchanged and gradients of weights are parts of others";
}

TEST(HostWait, IsTheSmoothMaximumLessTheDevice) {
    // (3^4 + 4^4)^(1/4) = 337^(1/4) = 4.28457; the host's share is 81 / 337.
    EXPECT_NEAR(host_wait(seconds(3), seconds(4)).in(unit::second), std::pow(337, 0.25) - 4, 1e-12);
    EXPECT_NEAR(host_wait(seconds(4), seconds(3)).in(unit::second), std::pow(337, 0.25) - 3, 1e-12);
    EXPECT_NEAR(host_share(seconds(3), seconds(4)), 81.0 / 337, 1e-12);
    EXPECT_EQ(host_wait(seconds(0), seconds(4)), seconds(0));
    EXPECT_EQ(host_share(seconds(0), seconds(4)), 0);
    EXPECT_EQ(host_wait(seconds(0), seconds(0)), seconds(0));
    EXPECT_EQ(host_share(seconds(0), seconds(0)), 0);
    EXPECT_EQ(host_wait(seconds(3), seconds(0)), seconds(3));
    EXPECT_EQ(host_share(seconds(3), seconds(0)), 1);
}

TEST(PassWaits, AreOfTheHostAndOfStragglers) {
    // Forward 4 s, which 30 launches of 0.1 s need 3 s of the host for; backward and recomputation 3 s and 4 s.
    const PassSeconds forward{seconds(3), seconds(1), {}, {}, {}, 30};
    const PassSeconds backward{seconds(1), {}, {}, seconds(1), {}, 25};
    const PassSeconds recompute{seconds(1), {}, {}, {}, {}, 15};
    plan::Framework framework;
    framework.number(plan::FrameworkParameter::launch).value = 0.1;
    framework.number(plan::FrameworkParameter::stragglers).value = 0.01;
    const PassWaits waits = pass_waits(forward, backward, recompute, framework, 8);
    EXPECT_NEAR(waits.host_needs.in(unit::second), 3, 1e-12);
    EXPECT_NEAR(waits.host_needs_back.in(unit::second), 4, 1e-12);
    EXPECT_NEAR(waits.host.in(unit::second), std::pow(337, 0.25) - 4, 1e-12);
    EXPECT_NEAR(waits.host_back.in(unit::second), std::pow(337, 0.25) - 3, 1e-12);
    EXPECT_NEAR(waits.overhead.in(unit::second), 0.01 * 3 * 2 * std::pow(337, 0.25), 1e-12) << "three doublings";
    // Stragglers lengthen both passes alike, copies come on top.
    const PassTotals both = with_waits({seconds(4), seconds(3)}, waits, {seconds(0.5), seconds(0.25)});
    EXPECT_NEAR(both.forward.in(unit::second), 1.03 * std::pow(337, 0.25) + 0.5, 1e-12);
    EXPECT_NEAR(both.back.in(unit::second), 1.03 * std::pow(337, 0.25) + 0.25, 1e-12);
}

/// Nodes of two devices, racks of two nodes and two racks; stages `apart` ranks from each other.
cluster::Group between(std::int64_t apart, std::size_t index) {
    const graph::Graph graph = test::small_network();
    cluster::Cluster cluster = test::small_cluster();
    cluster.levels[0].size = 2;
    for (const char* name : {"rack", "system"}) {
        cluster.levels.push_back({.name = name, .size = 2, .bandwidth = 1_GB_per_s, .latency = 10_us});
    }
    plan::Plan plan = test::pipeline_of(8 / apart);
    plan.mesh = {{"data", apart}, {"pipeline", 8 / apart}};
    plan.microbatch = 1;
    plan.batch = 64;
    const CostedGraph costed = cost_graph(graph, cluster, plan, {});
    return neighbours(costed, costed.mesh.axis("pipeline"), index);
}

bool is_group(const cluster::Group& group, std::int64_t stride, std::int64_t size) {
    return group.strides.size() == 1 && group.strides[0].stride == stride && group.strides[0].size == size;
}

TEST(Neighbours, AreAPairWhereTheyAreAsCloseAsTheFirstTwo) {
    EXPECT_TRUE(is_group(between(1, 0), 1, 8)) << "the first receives from the last";
    EXPECT_TRUE(is_group(between(1, 1), 1, 2)) << "in one node";
    EXPECT_TRUE(is_group(between(1, 2), 1, 8)) << "from node to node, on ranks whose neighbours mostly share one";
    EXPECT_TRUE(is_group(between(1, 3), 1, 2));
    EXPECT_TRUE(is_group(between(2, 1), 2, 2)) << "from node to node in a rack";
    EXPECT_TRUE(is_group(between(2, 2), 2, 4)) << "from rack to rack";
    EXPECT_TRUE(is_group(between(2, 3), 2, 2));
    EXPECT_TRUE(is_group(between(4, 1), 4, 2)) << "from rack to rack, as all";
}

TEST(Receiver, IsTheLaterOfNeighboursOrTheWholePipelines) {
    const schedule::Places loop{schedule::Placement::loop, 4, 2};
    EXPECT_EQ(receiver(loop, 2, 0), 2U);
    EXPECT_EQ(receiver(loop, 2, 1), 2U);
    EXPECT_EQ(receiver(loop, 0, 1), 0U) << "from the last stage to the first";
    const schedule::Places there_and_back = places_of(plan::schedule_of(plan::schedule_from("zb-v").value()), 4, 2);
    EXPECT_EQ(receiver(there_and_back, 1, 0), 1U) << "from stage 0";
    EXPECT_EQ(receiver(there_and_back, 1, 1), 2U) << "from stage 2, on the way back";
    EXPECT_EQ(receiver(there_and_back, 3, 1), 3U) << "from itself";
}

}  // namespace stage_time_test
}  // namespace dodona::step
