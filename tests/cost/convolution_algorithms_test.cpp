// Workspaces of convolution algorithms by hand, and when each is faster.
#include "cost/convolution_algorithms.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/graph/networks.hpp"

namespace dodona::cost::testing {
namespace convolution_algorithms_test {

cluster::Device device() {
    cluster::Device made;
    made.name = "made-up";
    made.memory_bandwidth = 240_GB_per_s;
    made.matrix[Precision::fp32] = 4e12 * unit::flop / (1.0 * unit::second);
    made.vector = 4e12 * unit::flop / (1.0 * unit::second);
    return made;
}

/// 64 to 128 channels on 56 x 56, windows of 3 x 3 with padding, 32 samples.
Convolution usual() {
    Convolution c{.samples = 32,
                  .channels = 64,
                  .filters = 128,
                  .height = 58,
                  .width = 58,
                  .rows = 56,
                  .columns = 56,
                  .kernel_height = 3,
                  .kernel_width = 3};
    const graph::Kernel product = graph::matmul(32 * 56 * 56, 128, 64 * 9);
    c.work = {.forward = {product},
              .backward_input = {product},
              .backward_weight = {product},
              .model_forward = product.flops};
    return c;
}

const AlgorithmCost* find(const std::vector<AlgorithmCost>& costs, ConvolutionAlgorithm algorithm) {
    for (const AlgorithmCost& one : costs) {
        if (one.algorithm == algorithm) {
            return &one;
        }
    }
    return nullptr;
}

TEST(ConvolutionAlgorithms, HaveTheirWorkspaces) {
    const auto costs = algorithm_costs(device(), usual(), Precision::fp32);
    ASSERT_EQ(costs.size(), 4U);
    EXPECT_EQ(costs[0].workspace, Bytes{});
    EXPECT_EQ(costs[1].workspace.in(unit::byte), 4 * (64.0 * 9 + 32 * 56 * 56));
    const double tiles = 32 * 14 * 14;
    EXPECT_EQ(find(costs, ConvolutionAlgorithm::winograd)->workspace.in(unit::byte),
              4 * 36 * (tiles * 64 + tiles * 128 + 64 * 128));
    EXPECT_EQ(find(costs, ConvolutionAlgorithm::fft)->workspace.in(unit::byte),
              8.0 * 64 * 33 * (32 * 64 + 32 * 128 + 64 * 128));
}

TEST(ConvolutionAlgorithms, TransformOnlyWhatTheyCan) {
    Convolution wide = usual();
    wide.kernel_height = wide.kernel_width = 5;
    EXPECT_EQ(find(algorithm_costs(device(), wide, Precision::fp32), ConvolutionAlgorithm::winograd), nullptr);
    EXPECT_NE(find(algorithm_costs(device(), wide, Precision::fp32), ConvolutionAlgorithm::fft), nullptr);
    wide.dense = false;
    EXPECT_EQ(algorithm_costs(device(), wide, Precision::fp32).size(), 2U);
    Convolution large = usual();
    large.height = 300;
    EXPECT_EQ(find(algorithm_costs(device(), large, Precision::fp32), ConvolutionAlgorithm::fft), nullptr);
}

using Numbers = std::vector<std::int64_t>;

/// 64 filters of 3 x 3 on 16 channels of 20 x 24.
Convolution convolved(const Numbers& stride, const Numbers& dilation, std::int64_t groups = 1) {
    const graph::Graph graph =
        graph::build(graph::test::network(graph::test::tensor({{"channel", 16}, {"height", 20}, {"width", 24}}),
                                          {graph::test::layer("conv", "conv",
                                                              {{"filters", std::int64_t{64}},
                                                               {"kernel", std::int64_t{3}},
                                                               {"pad", std::int64_t{1}},
                                                               {"groups", groups},
                                                               {"stride", stride},
                                                               {"dilation", dilation}})}));
    return convolution_of(graph, graph.layer(graph::test::find(graph, "conv")), 2).value();
}

TEST(ConvolutionAlgorithms, AreOfDenseWindowsInBothDirections) {
    EXPECT_TRUE(convolved({1, 1}, {1, 1}).dense);
    EXPECT_FALSE(convolved({2, 1}, {1, 1}).dense);
    EXPECT_FALSE(convolved({1, 2}, {1, 1}).dense);
    EXPECT_FALSE(convolved({1, 1}, {2, 1}).dense);
    EXPECT_FALSE(convolved({1, 1}, {1, 2}).dense);
}

TEST(ConvolutionAlgorithms, AreToldTheShapesOfALayer) {
    const Convolution one = convolved({1, 2}, {1, 1});
    EXPECT_EQ(one.groups, 1);
    EXPECT_EQ(one.channels, 16);
    EXPECT_EQ(one.filters, 64);
    EXPECT_EQ(one.height, 22);
    EXPECT_EQ(one.width, 26);
    EXPECT_EQ(one.rows, 20);
    EXPECT_EQ(one.columns, 12);
    const Convolution four = convolved({1, 1}, {1, 1}, 4);
    EXPECT_EQ(four.groups, 4);
    EXPECT_EQ(four.channels * four.groups, 16);
}

/// 36 products of a sixteenth of the positions instead of nine: a quarter of the arithmetic, and passes over memory.
TEST(ConvolutionAlgorithms, WinogradGainsLessThanFourTimes) {
    const auto costs = algorithm_costs(device(), usual(), Precision::fp32);
    const double gain = costs[0].time / find(costs, ConvolutionAlgorithm::winograd)->time;
    EXPECT_GT(gain, 1.2);
    EXPECT_LT(gain, 4);
}

TEST(ConvolutionAlgorithms, FourierTransformsGainWithTheWindow) {
    const auto gain = [](double kernel) {
        Convolution c = usual();
        c.kernel_height = c.kernel_width = kernel;
        const graph::Kernel product = graph::matmul(32 * 56 * 56, 128, 64 * kernel * kernel);
        c.work = {.forward = {product},
                  .backward_input = {product},
                  .backward_weight = {product},
                  .model_forward = product.flops};
        const auto costs = algorithm_costs(device(), c, Precision::fp32);
        return costs[0].time / find(costs, ConvolutionAlgorithm::fft)->time;
    };
    EXPECT_LT(gain(1), 1);
    EXPECT_GT(gain(9), 3 * gain(3));
}

using Point = cluster::ConvolutionCurve::Point;

/// usual(), in its three passes, for so many samples.
Point point(double samples, Seconds time, Bytes workspace = {}) {
    return {.samples = samples,
            .groups = 1,
            .channels = 64,
            .filters = 128,
            .height = 58,
            .width = 58,
            .rows = 56,
            .columns = 56,
            .kernel_height = 3,
            .kernel_width = 3,
            .workspace = workspace,
            .time = time};
}

cluster::Device measured(ConvolutionAlgorithm algorithm, const std::vector<Point>& points,
                         Precision precision = Precision::fp32) {
    cluster::Device made = device();
    for (const auto& each : graph::kDirectionTable) {
        made.convolutions.push_back({.algorithm = algorithm,
                                     .precision = precision,
                                     .direction = each.value,
                                     .points = points,
                                     .provenance = {}});
    }
    return made;
}

AlgorithmCost of(const cluster::Device& device, const Convolution& c, ConvolutionAlgorithm algorithm) {
    const auto costs = algorithm_costs(device, c, Precision::fp32);
    const AlgorithmCost* const found = find(costs, algorithm);
    EXPECT_NE(found, nullptr) << name(algorithm);
    return found == nullptr ? AlgorithmCost{} : *found;
}

Convolution with_samples(double samples) {
    Convolution c = usual();
    c.samples = samples;
    return c;
}

// 3 passes of 2, 8 and 40 ms with 8, 32 and 128 samples: 2 (16/8)^(log 4 / log 4) = 4 ms with 16, 8 (64/32)^(log 5 / log 4)
// with 64; half of 2 ms with 4, twice 40 with 256.
TEST(ConvolutionAlgorithms, TakeWhatWasMeasuredOfTheLayer) {
    const cluster::Device known =
        measured(ConvolutionAlgorithm::winograd,
                 {point(32, 8000_us, 30_MiB), point(8, 2000_us, 10_MiB), point(128, 40000_us, 90_MiB)});
    const auto taken = [&](double samples) { return of(known, with_samples(samples), ConvolutionAlgorithm::winograd); };
    EXPECT_EQ(taken(32).time, 3 * 8000_us);
    EXPECT_EQ(taken(32).workspace, 30_MiB);
    EXPECT_EQ(taken(32).evidence, Evidence::measured);
    EXPECT_NEAR(taken(16).time.in(1000_us), 3 * 4, 1e-9);
    EXPECT_EQ(taken(16).workspace, 30_MiB);
    EXPECT_EQ(taken(16).evidence, Evidence::interpolated);
    EXPECT_NEAR(taken(64).time.in(1000_us), 3 * 8 * std::pow(2, std::log(5) / std::log(4)), 1e-9);
    EXPECT_EQ(taken(64).workspace, 90_MiB);
    EXPECT_NEAR(taken(4).time.in(1000_us), 3 * 1, 1e-9);
    EXPECT_EQ(taken(4).workspace, 10_MiB);
    EXPECT_NEAR(taken(256).time.in(1000_us), 3 * 80, 1e-9);
    EXPECT_EQ(taken(256).workspace, 180_MiB);
    Convolution first = with_samples(32);
    first.input_gradient = false;
    EXPECT_EQ(of(known, first, ConvolutionAlgorithm::winograd).time, 2 * 8000_us);
}

// The layer of the point takes four times its formula; one of half as many filters takes four times its own.
TEST(ConvolutionAlgorithms, OfOtherLayersAreAsFarOffTheFormulaAsMeasuredOnes) {
    Convolution forward = usual();
    forward.input_gradient = false;
    const Seconds formula = of(device(), usual(), ConvolutionAlgorithm::winograd).time -
                            of(device(), forward, ConvolutionAlgorithm::winograd).time;
    cluster::Device known = device();  // of dX only: it stands for all passes
    known.convolutions.push_back({.algorithm = ConvolutionAlgorithm::winograd,
                                  .precision = Precision::fp32,
                                  .direction = graph::Direction::backward_input,
                                  .points = {point(32, 4 * formula)},
                                  .provenance = {}});
    Convolution other = usual();
    other.filters = 64;
    const AlgorithmCost scaled = of(known, other, ConvolutionAlgorithm::winograd);
    EXPECT_NEAR(scaled.time / of(device(), other, ConvolutionAlgorithm::winograd).time, 4, 1e-9);
    EXPECT_EQ(scaled.workspace, of(device(), other, ConvolutionAlgorithm::winograd).workspace);
    EXPECT_EQ(scaled.evidence, Evidence::fitted);
    EXPECT_EQ(of(device(), other, ConvolutionAlgorithm::winograd).evidence, std::nullopt);
}

// Each pass has its own: dW takes 2 times its formula, the others 8 times.
TEST(ConvolutionAlgorithms, OfOtherLayersAreScaledByTheirOwnPass) {
    cluster::Device known = measured(ConvolutionAlgorithm::winograd, {});
    Convolution none = usual();
    none.input_gradient = false;
    const Seconds input = of(device(), usual(), ConvolutionAlgorithm::winograd).time -
                          of(device(), none, ConvolutionAlgorithm::winograd).time;
    for (cluster::ConvolutionCurve& curve : known.convolutions) {
        curve.points = {point(32, (curve.direction == graph::Direction::backward_input ? 2 : 8) * input)};
    }
    Convolution other = usual();
    other.rows = other.columns = 28;
    other.height = other.width = 30;
    Convolution other_first = other;
    other_first.input_gradient = false;
    const auto input_of = [&](const cluster::Device& on) {
        return of(on, other, ConvolutionAlgorithm::winograd).time -
               of(on, other_first, ConvolutionAlgorithm::winograd).time;
    };
    EXPECT_NEAR(input_of(known) / input_of(device()), 2, 1e-6);
}

// Of two measured layers the nearer counts more: with ratios of 2 and 8, distances of log 2 and log 4, weights of 4 to 1,
// 2^(4/5) 8^(1/5).
TEST(ConvolutionAlgorithms, OfOtherLayersAreScaledByTheNearestMeasuredOnes) {
    const auto formula = [](double samples) {
        Convolution first = with_samples(samples);
        first.input_gradient = false;
        return of(device(), with_samples(samples), ConvolutionAlgorithm::winograd).time -
               of(device(), first, ConvolutionAlgorithm::winograd).time;
    };
    cluster::Device known = device();
    known.convolutions.push_back({.algorithm = ConvolutionAlgorithm::winograd,
                                  .precision = Precision::fp32,
                                  .direction = graph::Direction::backward_input,
                                  .points = {point(64, 2 * formula(64)), point(8, 8 * formula(8))},
                                  .provenance = {}});
    Convolution other = usual();  // another padding makes it another layer
    other.height = other.width = 59;
    const AlgorithmCost scaled = of(known, other, ConvolutionAlgorithm::winograd);
    EXPECT_NEAR(scaled.time / of(device(), other, ConvolutionAlgorithm::winograd).time,
                std::pow(2, 0.8) * std::pow(8, 0.2), 1e-9);
}

TEST(ConvolutionAlgorithms, ThatTransformAndWereNotMeasuredAreLeftOutBesideOneThatWas) {
    const cluster::Device known = measured(ConvolutionAlgorithm::winograd, {point(32, 8000_us)});
    EXPECT_EQ(find(algorithm_costs(known, usual(), Precision::fp32), ConvolutionAlgorithm::fft), nullptr);
    EXPECT_NE(find(algorithm_costs(known, usual(), Precision::fp32), ConvolutionAlgorithm::precomputed_gemm), nullptr);
    const cluster::Device half = measured(ConvolutionAlgorithm::winograd, {point(32, 8000_us)}, Precision::fp16);
    EXPECT_NE(find(algorithm_costs(half, usual(), Precision::fp32), ConvolutionAlgorithm::fft), nullptr);
    EXPECT_EQ(of(half, usual(), ConvolutionAlgorithm::winograd).evidence, std::nullopt);
    const cluster::Device products = measured(ConvolutionAlgorithm::precomputed_gemm, {point(32, 8000_us)});
    EXPECT_NE(find(algorithm_costs(products, usual(), Precision::fp32), ConvolutionAlgorithm::fft), nullptr);
}

TEST(ConvolutionAlgorithms, ThatAreProductsTakeTheTimeOfEachOther) {
    const cluster::Device known = measured(ConvolutionAlgorithm::precomputed_gemm, {point(32, 8000_us, 7_MiB)});
    EXPECT_EQ(of(known, usual(), ConvolutionAlgorithm::implicit_gemm).time, 3 * 8000_us);
    EXPECT_EQ(of(known, usual(), ConvolutionAlgorithm::implicit_gemm).workspace, Bytes{});
    EXPECT_EQ(of(known, usual(), ConvolutionAlgorithm::precomputed_gemm).workspace, 7_MiB);
    const cluster::Device other = measured(ConvolutionAlgorithm::implicit_gemm, {point(32, 9000_us)});
    EXPECT_EQ(of(other, usual(), ConvolutionAlgorithm::precomputed_gemm).time, 3 * 9000_us);
    EXPECT_EQ(of(other, usual(), ConvolutionAlgorithm::precomputed_gemm).workspace,
              of(device(), usual(), ConvolutionAlgorithm::precomputed_gemm).workspace);
}

TEST(ConvolutionAlgorithms, AreNotThoseOfAnotherLayer) {
    const cluster::Device known = measured(ConvolutionAlgorithm::winograd, {point(32, 8000_us)});
    const auto differs = [&](auto change) {
        Convolution c = usual();
        change(c);
        for (const AlgorithmCost& cost : algorithm_costs(known, c, Precision::fp32)) {
            EXPECT_NE(cost.evidence, Evidence::measured) << name(cost.algorithm);
        }
    };
    EXPECT_EQ(of(known, usual(), ConvolutionAlgorithm::winograd).evidence, Evidence::measured);
    differs([](Convolution& c) { c.channels = 32; });
    differs([](Convolution& c) { c.filters = 32; });
    differs([](Convolution& c) { c.groups = 2; });
    differs([](Convolution& c) { c.height = 60; });
    differs([](Convolution& c) { c.width = 60; });
    differs([](Convolution& c) { c.rows = 55; });
    differs([](Convolution& c) { c.columns = 55; });
    differs([](Convolution& c) { c.kernel_height = 1; });
    differs([](Convolution& c) { c.kernel_width = 1; });
}

}  // namespace convolution_algorithms_test
}  // namespace dodona::cost::testing
