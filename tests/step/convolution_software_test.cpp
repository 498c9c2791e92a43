// What software adds to convolutions and to their samples: layouts turned, workspaces withheld, batches collated.
#include <gtest/gtest.h>

#include "graph/operators/conv_kernels.hpp"
#include "scenes.hpp"
#include "step/im2col.hpp"
#include "step/predict.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {
namespace convolution_software_test {

using plan::FrameworkParameter;
using test::small_cluster;
using test::small_network;
using test::strategy;

plan::Plan data_plan() {
    plan::Plan plan;
    plan.strategy = strategy("data", {"data"});
    plan.mesh = {{"data", 4}};
    plan.batch = 1024;
    plan.microbatch = 256;
    plan.precision = Precision::fp32;
    return plan;
}

Prediction with(FrameworkParameter parameter, double value, const cluster::Cluster& cluster) {
    plan::Plan plan = data_plan();
    plan.framework.number(parameter).value = value;
    return predict(small_network(), cluster, plan);
}

Seconds compute(const Prediction& p) { return p.time[TimePart::forward] + p.time[TimePart::backward]; }

cluster::Cluster with_matrix_units() {
    cluster::Cluster cluster = small_cluster();
    cluster.device.matrix[Precision::fp32] = 60_TFLOP_per_s;
    return cluster;
}

cluster::KernelFit measured_convolution() {
    cluster::KernelFit fit;
    fit.kind = graph::KernelKind::convolution;
    fit.precision = Precision::fp32;
    fit.window_gain = 2;
    fit.overlap = 64;
    return fit;
}

// Of each of 4 layers three kernels, dX of the first layer not: 11. Each moves X, W and Y: twice 256*8*16*16 numbers
// and 576, once more, in a pass of its own: 5 us and 4 bytes each at 900 GB/s.
TEST(Relayout, MovesOperandsOfConvolutionsOnceMoreForMatrixUnits) {
    const cluster::Cluster cluster = with_matrix_units();
    const Seconds plain = compute(with(FrameworkParameter::channels_last, 0, cluster));
    const Seconds turned = compute(with(FrameworkParameter::channels_last, 1, cluster));
    const double elements = 2 * 256.0 * 8 * 16 * 16 + 8 * 8 * 9;
    EXPECT_NEAR((turned - plain).in(unit::second), 11 * (5e-6 + 4 * elements / 900e9), 1e-9);
    const cluster::Cluster without = small_cluster();
    EXPECT_EQ(compute(with(FrameworkParameter::channels_last, 1, without)),
              compute(with(FrameworkParameter::channels_last, 0, without)))
        << "no matrix units";
}

TEST(Relayout, IsInMeasuredConvolutionsAlready) {
    cluster::Cluster cluster = with_matrix_units();
    cluster.device.profile.fits = {measured_convolution()};
    EXPECT_EQ(compute(with(FrameworkParameter::channels_last, 1, cluster)),
              compute(with(FrameworkParameter::channels_last, 0, cluster)));
    cluster::KernelFit of_products = measured_convolution();
    of_products.kind = graph::KernelKind::matmul;
    cluster::KernelFit in_half_precision = measured_convolution();
    in_half_precision.precision = Precision::fp16;
    for (const cluster::KernelFit& other : {of_products, in_half_precision}) {
        cluster.device.profile.fits = {other};
        EXPECT_GT(compute(with(FrameworkParameter::channels_last, 1, cluster)),
                  compute(with(FrameworkParameter::channels_last, 0, cluster)));
    }
}

TEST(Windows, GainOnlyWithTheirWorkspace) {
    cluster::Cluster cluster = small_cluster();
    cluster.device.profile.fits = {measured_convolution()};
    const Seconds all = compute(with(FrameworkParameter::window_reuse, 1, cluster));
    const Seconds half = compute(with(FrameworkParameter::window_reuse, 0.5, cluster));
    const Seconds none = compute(with(FrameworkParameter::window_reuse, 0, cluster));
    EXPECT_GT(none, 1.1 * all);
    EXPECT_NEAR((half - all) / (none - all), 0.5, 1e-9);
    cluster.device.profile.fits.front().window_gain = 1;
    EXPECT_NEAR(compute(with(FrameworkParameter::window_reuse, 1, cluster)) / none, 1, 1e-12);
}

// 4 samples of 6 channels and 10 x 10, 2 groups of 3 channels to 5 filters each, 3 x 3, padded: 100 results of a filter a
// sample, each of 27 numbers. Of a sample and a group: columns 100 x 27, image 300, results 500.
const graph::Work kGrouped = graph::convolution(
    {.samples = 4, .positions = 400, .channels = 3, .filters = 5, .groups = 2, .window_area = 9, .input_ratio = 1});

void expect_parts(const graph::Kernel& convolution, double m, double n, double k, double elements) {
    const std::vector<graph::Kernel> parts = im2col(convolution, 1);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].kind, graph::KernelKind::stream);
    EXPECT_EQ(parts[0].times, 4);
    EXPECT_NEAR(parts[0].elements, 2 * (2700 + 300), 1e-9) << "columns and images of both groups";
    EXPECT_EQ(parts[1].kind, graph::KernelKind::matmul);
    EXPECT_EQ(parts[1].times, 4 * 2) << "samples and groups";
    EXPECT_NEAR(parts[1].m, m, 1e-9);
    EXPECT_NEAR(parts[1].n, n, 1e-9);
    EXPECT_NEAR(parts[1].k, k, 1e-9);
    EXPECT_NEAR(parts[1].elements, elements, 1e-9);
    EXPECT_EQ(parts[1].direction, convolution.direction);
    EXPECT_NEAR(parts[1].times * parts[1].flops.in(unit::flop), convolution.flops.in(unit::flop), 1e-6);
}

TEST(Im2col, OfConvolutionsThatRunSeveralTimesDoesToo) {
    graph::Kernel thrice = kGrouped.forward[0];
    thrice.times = 3;
    const std::vector<graph::Kernel> parts = im2col(thrice, 1);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].times, 3 * 4);
    EXPECT_EQ(parts[1].times, 3 * 4 * 2);
}

TEST(Im2col, WritesAndMultipliesTheWindowsOfEachSample) {
    expect_parts(kGrouped.forward[0], 100, 5, 27, 2700 + 135 + 500);
    expect_parts(kGrouped.backward_input[0], 100, 27, 5, 2700 + 135 + 500);
    // The gradients that earlier samples gave are read as well.
    expect_parts(kGrouped.backward_weight[0], 5, 27, 100, 2700 + 2 * 135 + 500);
}

TEST(Im2col, TakesSeveralSamplesAtOnce) {
    const std::vector<graph::Kernel> pairs = im2col(kGrouped.forward[0], 2);
    EXPECT_EQ(pairs[0].times, 2);
    EXPECT_EQ(pairs[1].times, 2 * 2);
    EXPECT_NEAR(pairs[1].m, 200, 1e-9);
    EXPECT_NEAR(pairs[0].elements, 2 * 2 * (2700 + 300), 1e-9);
    const std::vector<graph::Kernel> all = im2col(kGrouped.forward[0], 64);
    EXPECT_EQ(all[0].times, 1) << "no more than there are";
    EXPECT_NEAR(all[1].m, 400, 1e-9);
}

TEST(Im2col, LeavesConvolutionsOfUnknownSamplesAlone) {
    graph::Kernel transposed = kGrouped.forward[0];
    transposed.samples = 0;
    const std::vector<graph::Kernel> parts = im2col(transposed, 1);
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(parts[0].kind, graph::KernelKind::convolution);
}

// 11 convolutions as above, 64 samples at once: four passes and four products for each.
TEST(Im2col, IsStartedForEachPart) {
    plan::Plan plan = data_plan();
    plan.framework.number(FrameworkParameter::launch).value = 1e-3;
    const Seconds whole = predict(small_network(), small_cluster(), plan).step.value;
    plan.framework.number(FrameworkParameter::im2col_samples).value = 64;
    const Seconds split = predict(small_network(), small_cluster(), plan).step.value;
    EXPECT_NEAR((split - whole).in(unit::second), 11 * (8 - 1) * 1e-3, 5e-3);
}

TEST(Feed, IsNeverHidden) {
    const Prediction plain = with(FrameworkParameter::collate, 0, small_cluster());
    const Prediction fed = with(FrameworkParameter::collate, 1e-3, small_cluster());
    EXPECT_NEAR((fed.step.value - plain.step.value).in(unit::second), 0.256, 1e-9) << "256 samples on each of 4";
    EXPECT_NEAR(fed.time[TimePart::input].in(unit::second), 0.256, 1e-9);
}

// Two devices that share the samples of a data rank have one loader.
TEST(Input, IsOfDataRanks) {
    plan::Plan plan = data_plan();
    plan.strategy = strategy("split", {"spatial", "data"});
    plan.strategy.rules = {};
    plan.mesh = {{"spatial", 2}, {"data", 2}};
    plan.microbatch = 512;
    plan.framework.number(FrameworkParameter::collate).value = 1e-3;
    const Prediction fed = predict(small_network(), small_cluster(), plan);
    EXPECT_NEAR(fed.time[TimePart::input].in(unit::second), 0.512, 1e-9);
}

}  // namespace convolution_software_test
}  // namespace dodona::step
