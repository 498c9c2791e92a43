// Parameters of software: hosts that keep devices waiting, passes that are not fused, stragglers, what hiding costs.
#include <cmath>

#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/predict.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {
namespace framework_test {

using plan::FrameworkParameter;
using test::small_cluster;
using test::small_network;
using test::strategy;

constexpr Seconds seconds(double value) { return Seconds::of_base(value); }

plan::Plan data_plan() {
    plan::Plan plan;
    plan.strategy = strategy("data", {"data"});
    plan.mesh = {{"data", 4}};
    plan.batch = 1024;
    plan.microbatch = 256;
    plan.precision = Precision::fp32;
    return plan;
}

Prediction with(FrameworkParameter parameter, double value) {
    plan::Plan plan = data_plan();
    plan.framework.number(parameter).value = value;
    return predict(small_network(), small_cluster(), plan);
}

TEST(HostWait, IsASmoothMaximum) {
    // Both 1 s: (1 + 1)^(1/4) = 1.1892 s. A host of 1/3: (1/81 + 1)^(1/4) = 1.00307.
    EXPECT_NEAR(host_wait(seconds(1), seconds(1)).in(unit::second), 0.189207, 1e-6);
    EXPECT_NEAR(host_wait(seconds(1.0 / 3), seconds(1)).in(unit::second), 0.0030722, 1e-6);
    EXPECT_NEAR(host_wait(seconds(10), seconds(1)).in(unit::second), 9.00025, 1e-5) << "the host decides";
    EXPECT_EQ(host_wait(seconds(0), seconds(1)), seconds(0));
    EXPECT_EQ(host_wait(seconds(2), seconds(0)), seconds(2));
}

TEST(HostShare, IsTheDerivativeOfBothByTheHost) {
    // Both 1 s: 1 / 2. A host of 10 s beside 1 s of device: 10^4 / (10^4 + 1).
    EXPECT_NEAR(host_share(seconds(1), seconds(1)), 0.5, 1e-12);
    EXPECT_NEAR(host_share(seconds(10), seconds(1)), 1e4 / (1e4 + 1), 1e-12);
    EXPECT_EQ(host_share(seconds(0), seconds(1)), 0);
}

TEST(Framework, SlowDownsLengthenTheirOwnKernelsOnly) {
    const Prediction plain = predict(small_network(), small_cluster(), data_plan());
    const Prediction stream = with(FrameworkParameter::stream, 2);
    const Prediction convolution = with(FrameworkParameter::convolution, 2);
    const Prediction both = [] {
        plan::Plan plan = data_plan();
        plan.framework.number(FrameworkParameter::stream).value = 2;
        plan.framework.number(FrameworkParameter::convolution).value = 2;
        return predict(small_network(), small_cluster(), plan);
    }();
    const auto compute = [](const Prediction& p) { return p.time[TimePart::forward] + p.time[TimePart::backward]; };
    EXPECT_GT(compute(stream), compute(plain));
    EXPECT_NEAR(compute(both) / compute(plain), 2, 1e-12) << "the network has no other kernels";
    EXPECT_NEAR((compute(stream) + compute(convolution)) / compute(plain), 3, 1e-12);
    EXPECT_EQ(stream.time[TimePart::gradients], plain.time[TimePart::gradients]);
    EXPECT_EQ(stream.time[TimePart::optimizer], plain.time[TimePart::optimizer]);
}

// A convolution of which two devices compute half the filters each gathers its input for the next: the host takes 1 ms
// for a kernel, and 2 x 3 ms more for the collective.
TEST(Launches, CollectivesTakeMoreForEachRank) {
    plan::Plan plan = data_plan();
    plan.strategy = strategy("filter", {"filter"});
    plan.strategy.everywhere.clear();
    plan.strategy.rules = {{.match = {.kinds = {"conv"}}, .lay = {{"filter", {"filter"}, {}}}}};
    plan.mesh = {{"filter", 2}};
    plan.batch = plan.microbatch = 1;
    plan.framework.number(FrameworkParameter::launch).value = 1e-3;
    const auto waits = [&](double launches) {
        plan.framework.number(FrameworkParameter::rank_launches).value = launches;
        return predict(small_network(), small_cluster(), plan).time[TimePart::host].in(unit::second);
    };
    const double one = waits(1) - waits(0);
    EXPECT_NEAR(waits(3) - waits(0), 3 * one, 1e-3 * one) << "the host decides";
    EXPECT_NEAR(std::remainder(one, 2e-3), 0, 1e-5) << "two ranks a collective";
    EXPECT_GT(one, 7.9e-3) << "four convolutions";
}

// Of each of the 8 micro-batches either stage receives one message, and the first one back waits for the first one out.
TEST(Messages, HoldTheirReceiverBetweenNodesOnly) {
    cluster::Cluster nodes = small_cluster();
    nodes.levels[0].size = 2;
    nodes.levels.push_back({.name = "network", .size = 4, .bandwidth = 25_GB_per_s, .latency = 10_us});
    plan::Plan plan = test::pipeline_of(2);
    plan.mesh = {{"data", 2}, {"pipeline", 2}};
    const auto step = [&](double message, const cluster::Cluster& cluster) {
        plan.framework.number(FrameworkParameter::message).value = message;
        return predict(small_network(), cluster, plan).step.value.in(unit::second);
    };
    EXPECT_EQ(step(100, small_cluster()), step(0, small_cluster()));
    EXPECT_NEAR((step(100, nodes) - step(0, nodes)) / 100, 8 + 1, 0.01);
}

TEST(Framework, CollectivesAndUpdatesScale) {
    const Prediction plain = predict(small_network(), small_cluster(), data_plan());
    EXPECT_NEAR(with(FrameworkParameter::collective, 1.5).time[TimePart::gradients] / plain.time[TimePart::gradients],
                1.5, 1e-12);
    EXPECT_NEAR(with(FrameworkParameter::optimizer, 3).time[TimePart::optimizer] / plain.time[TimePart::optimizer], 3,
                1e-12);
}

TEST(Framework, StragglersLengthenPassesByDoublings) {
    // 4 devices: two doublings of 1 %.
    const Prediction plain = predict(small_network(), small_cluster(), data_plan());
    const Prediction slow = with(FrameworkParameter::stragglers, 0.01);
    const Seconds passes = plain.time[TimePart::forward] + plain.time[TimePart::backward];
    EXPECT_NEAR(slow.time[TimePart::overhead] / passes, 0.02, 1e-12);
}

TEST(Framework, AStepOfItsOwnAddsUp) {
    const Prediction plain = predict(small_network(), small_cluster(), data_plan());
    const Prediction logging = with(FrameworkParameter::step, 5e-3);
    EXPECT_NEAR((logging.step.value - plain.step.value).in(unit::second), 5e-3, 1e-12);
}

TEST(Framework, DecodingTakesTurnsWithTheStep) {
    // 256 samples on each of 4 devices.
    const Prediction plain = predict(small_network(), small_cluster(), data_plan());
    const Prediction decoding = with(FrameworkParameter::input, 1e-3);
    EXPECT_EQ(decoding.time[TimePart::input], host_wait(seconds(0.256), plain.step.value));
}

TEST(Framework, HidesStatesBehindAShareOfComputeAndLosesSomeOfIt) {
    StagePass pass;
    pass.forward.compute = Estimate::exactly(seconds(10));
    pass.backward.compute = Estimate::exactly(seconds(20));
    plan::Plan plan;
    plan.overlap = {.gradients = true, .parameters = true};
    plan.framework.number(FrameworkParameter::overlap_states).value = 0.5;
    plan.framework.number(FrameworkParameter::interference).value = 0.1;
    StateTransfer reduction;
    reduction.what = StateTransfer::What::gradients;
    reduction.time.time = Estimate::exactly(seconds(15));
    // 100 buckets, a window of 10 s: 15 - 10 * 0.99 = 5.1 s show; of the 9.9 s hidden compute loses a tenth.
    const cluster::Cluster cluster = small_cluster();
    const ExposedStates found = exposed_states({reduction}, pass, {cluster, plan, 1, {0.01, 0.01, 0.01}});
    EXPECT_NEAR(found.gradients.in(unit::second), 5.1, 1e-12);
    EXPECT_NEAR(found.interference.in(unit::second), 0.99, 1e-12);
}

TEST(Framework, HidesCollectivesOfLayersBehindAShareOfThem) {
    SegmentCost segment;
    segment.forward.compute = Estimate::exactly(seconds(10));
    segment.forward.layer = Estimate::exactly(seconds(6));
    plan::Plan plan;
    plan.overlap.tensor = true;
    plan.framework.number(FrameworkParameter::overlap_layers).value = 0.4;
    plan.framework.number(FrameworkParameter::interference).value = 0.25;
    // 4 of 6 s hide; 2 show, and a quarter of 4.
    EXPECT_NEAR(segment_pass(segment, plan).forward.layer.value.in(unit::second), 3, 1e-12);
}

TEST(Framework, LeavesMeasuredSamplesAsTheyAre) {
    cluster::Cluster cluster = small_cluster();
    const graph::Graph graph = small_network();
    cluster.measured_samples = {{graph.name, 1_us, 0_s, "here"}};
    plan::Plan plan = data_plan();
    const Prediction plain = predict(graph, cluster, plan);
    plan.framework.number(FrameworkParameter::convolution).value = 2;
    plan.framework.number(FrameworkParameter::stream).value = 2;
    plan.framework.number(FrameworkParameter::launch).value = 1e-4;
    const Prediction eager = predict(graph, cluster, plan);
    EXPECT_EQ(eager.step.value, plain.step.value);
    EXPECT_EQ(eager.time[TimePart::host], seconds(0));
}

TEST(Bottlenecks, NameAHostThatKeepsDevicesWaiting) {
    const Prediction bound = with(FrameworkParameter::launch, 1e-3);
    ASSERT_FALSE(bound.bottlenecks.empty());
    EXPECT_EQ(bound.bottlenecks.front().kind, BottleneckKind::launch);
    EXPECT_NEAR(bound.bottlenecks.front().share, bound.time[TimePart::host] / bound.step.value, 1e-12);
}

}  // namespace framework_test
}  // namespace dodona::step
