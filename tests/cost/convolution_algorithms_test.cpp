// Workspaces of convolution algorithms by hand, and when each is faster.
#include "cost/convolution_algorithms.hpp"

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

}  // namespace convolution_algorithms_test
}  // namespace dodona::cost::testing
