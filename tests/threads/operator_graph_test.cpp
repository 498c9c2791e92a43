// Operators of small networks, by hand: cells of a recurrent layer, branches, repeated blocks.
#include "threads/operator_graph.hpp"

#include <gtest/gtest.h>

#include "../graph/networks.hpp"

namespace dodona::threads::testing {
namespace operator_graph_test {

using graph::test::block;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using std::int64_t;
using Widths = std::vector<int64_t>;

const graph::Tensor kWords = tensor({{"sequence", 5}, {"feature", 8}});

OperatorGraph recurrent(int64_t layers, bool both, double samples = 1) {
    return operator_graph(
        graph::build(network(
            kWords, {layer("lstm", "lstm", {{"hidden", int64_t{16}}, {"layers", layers}, {"bidirectional", both}})})),
        samples);
}

double flop(const std::vector<graph::Kernel>& kernels) {
    double sum = 0;
    for (const graph::Kernel& kernel : kernels) {
        sum += kernel.times * kernel.flops.in(unit::flop);
    }
    return sum;
}

/// The wavefront of L layers and T steps: L T cells in L + T - 1 depths.
TEST(OperatorGraph, CellsOfOneDirectionAreAWavefront) {
    const OperatorGraph graph = recurrent(2, false);
    EXPECT_EQ(graph.widths(), (Widths{1, 2, 2, 2, 2, 1}));
    EXPECT_DOUBLE_EQ(graph.average_width(), 10.0 / 6);
    EXPECT_EQ(recurrent(7, false).widths(), (Widths{1, 2, 3, 4, 5, 5, 5, 4, 3, 2, 1}));
}

/// Two cells side by side in each of L T depths.
TEST(OperatorGraph, BothDirectionsRunSideBySideLayerByLayer) { EXPECT_EQ(recurrent(2, true).widths(), Widths(10, 2)); }

/// A cell of 3 samples: 2 x 3 x 64 x (8 + 16) flop in the first layer, of 16 + 16 numbers in the second.
TEST(OperatorGraph, CellsDoTheArithmeticOfTheirLayer) {
    const OperatorGraph graph = recurrent(2, false, 3);
    ASSERT_EQ(graph.kinds.size(), 2U);
    EXPECT_DOUBLE_EQ(flop(graph.kinds[0].kernels), 2 * 3 * 64 * (8 + 16));
    EXPECT_DOUBLE_EQ(flop(graph.kinds[1].kernels), 2 * 3 * 64 * (16 + 16));
    // The second layer reads both directions of the first.
    EXPECT_DOUBLE_EQ(flop(recurrent(2, true, 3).kinds[1].kernels), 2 * 3 * 64 * (32 + 16));
}

TEST(OperatorGraph, BranchesRunAtOnceAndBlocksAreWrittenOut) {
    const auto linear = [](const std::string& name, std::vector<std::string> from = {}) {
        return layer(name, "linear", {{"out", int64_t{8}}}, std::move(from));
    };
    const std::vector<graph::Entry> branches{linear("left", {"input"}), linear("right", {"input"}),
                                             layer("sum", "add", {}, {"left", "right"})};
    const OperatorGraph graph =
        operator_graph(graph::build(network(kWords, {block("pair", 4, branches), linear("last")})), 1);
    EXPECT_EQ(graph.widths(), (Widths{2, 1, 2, 1, 2, 1, 2, 1, 1}));
    EXPECT_EQ(graph.operators[3].after, std::vector<std::size_t>{2}) << "the second instance waits for the first";
    EXPECT_EQ(graph.operators.back().after, std::vector<std::size_t>{11});
}

TEST(OperatorGraph, WhatIsTooLargeIsRefused) {
    const graph::Graph deep =
        graph::build(network(kWords, {block("many", kMaxOperators + 1, {layer("relu", "relu")})}));
    EXPECT_THROW(operator_graph(deep, 1), InputError);
    EXPECT_THROW(operator_graph(graph::Graph{}, 1), InputError);
}

}  // namespace operator_graph_test
}  // namespace dodona::threads::testing
