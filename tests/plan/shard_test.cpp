// Shards of single layers: the largest counts, and what cannot run is said.
#include <gtest/gtest.h>

#include <algorithm>

#include "meshes.hpp"
#include "plan/shard.hpp"
#include "tests/graph/networks.hpp"

namespace dodona::plan::test {
namespace shard_test {

using graph::Graph;
using graph::test::find;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using std::int64_t;

Strategy laying(const std::string& dimension, const std::string& axis) {
    Rule rule;
    rule.lay = {{dimension, {axis}, {}}};
    Strategy strategy;
    strategy.axes = {axis};
    strategy.rules = {rule};
    return strategy;
}

Graph signals(int64_t filters, int64_t kernel) {
    return graph::build(network(tensor({{"channel", 4}, {"length", 24}}),
                                {layer("conv", "conv", {{"filters", filters}, {"kernel", kernel}, {"pad", kernel / 2}}),
                                 layer("relu", "relu")}));
}

bool has(const std::vector<Limit>& limits, const Limit& wanted) {
    return std::find(limits.begin(), limits.end(), wanted) != limits.end();
}

// 10 filters on 4 ranks: 3 + 3 + 3 + 1. Weights 3 * 4 * 3 and a bias of 3, outputs 3 * 24, for each of two samples.
TEST(AnUnevenSplit, CostsWhatItsLargestShardCosts) {
    const Graph graph = signals(10, 3);
    const Mesh mesh = mesh_of({{"filter", 4}});
    const ShardedGraph sharded = shard(graph, mesh, laying("filter", "filter"), 2);
    const ShardedLayer& conv = sharded.layers[find(graph, "conv")];
    EXPECT_DOUBLE_EQ(conv.weights[0].elements, 36);
    EXPECT_DOUBLE_EQ(conv.weights[1].elements, 3);
    EXPECT_DOUBLE_EQ(conv.output_elements, 2 * 3 * 24);
    const graph::Work work = work_of(graph.layers[find(graph, "conv")], conv.local);
    EXPECT_EQ(work.forward[0].flops, Flop::of_base(2.0 * 2 * 24 * 3 * 4 * 3));
    ASSERT_EQ(sharded.limits.size(), 1u);
    EXPECT_FALSE(sharded.limits[0].broken());
}

// Without a rule a layer keeps its input as it comes: the relu works on the convolution's filters.
TEST(ALayerWithoutARule, FollowsItsInput) {
    const Graph graph = signals(8, 3);
    const Mesh mesh = mesh_of({{"filter", 4}});
    const ShardedGraph sharded = shard(graph, mesh, laying("filter", "filter"), 1);
    const ShardedLayer& relu = sharded.layers[find(graph, "relu")];
    EXPECT_DOUBLE_EQ(relu.output_elements, 2 * 24);
    EXPECT_TRUE(relu.transfers.empty());
}

/// A convolution whose channels are split over 4 ranks, so that its output is a partial sum, and one reader.
ShardedGraph after_partial(const Graph& graph) {
    Strategy strategy = laying("channel", "channel");
    strategy.rules[0].match.kinds = {"conv"};
    return shard(graph, mesh_of({{"channel", 4}}), strategy, 1);
}

Graph read_by(const graph::Entry& reader) {
    return graph::build(
        network(tensor({{"channel", 4}, {"length", 24}}),
                {layer("conv", "conv", {{"filters", int64_t{8}}, {"kernel", int64_t{3}}, {"pad", int64_t{1}}}), reader,
                 layer("relu", "relu")}));
}

// An average is linear: the partial sums pass it, and the 8 averages are reduced instead of the 8 * 24 outputs.
TEST(APartialSum, PassesALinearOperatorAndIsReducedWhereItIsSmaller) {
    const Graph graph = read_by(layer("pool", "average_pool", {{"kernel", int64_t{24}}}));
    const ShardedGraph sharded = after_partial(graph);
    EXPECT_TRUE(sharded.layers[find(graph, "pool")].transfers.empty());
    const auto& reduced = sharded.layers[find(graph, "relu")].transfers;
    ASSERT_EQ(reduced.size(), 1u);
    EXPECT_EQ(reduced[0].transfer.collective, cluster::Collective::all_reduce);
    EXPECT_DOUBLE_EQ(reduced[0].transfer.elements, 8);
}

// A rule for a role that no layer has is said, not passed over.
TEST(ARule, ThatMatchesNoLayerIsSaid) {
    const Graph graph = signals(8, 3);
    Strategy strategy = laying("filter", "filter");
    strategy.name = "mine";
    Rule slip = strategy.rules[0];
    slip.match.roles = {"colum"};
    strategy.rules.push_back(slip);
    const ShardedGraph sharded = shard(graph, mesh_of({{"filter", 4}}), strategy, 1);
    EXPECT_TRUE(has(sharded.limits, {UnusedRule{2, "mine"}}));
}

// A maximum is not: it waits for the sum.
TEST(APartialSum, DoesNotPassAnotherOperator) {
    const Graph graph = read_by(layer("pool", "max_pool", {{"kernel", int64_t{24}}}));
    const ShardedGraph sharded = after_partial(graph);
    const auto& reduced = sharded.layers[find(graph, "pool")].transfers;
    ASSERT_EQ(reduced.size(), 1u);
    EXPECT_DOUBLE_EQ(reduced[0].transfer.elements, 8 * 24);
    EXPECT_TRUE(sharded.layers[find(graph, "relu")].transfers.empty());
}

// A window of 9 needs 4 rows from a neighbour that has 24/8 = 3.
TEST(AWindow, WiderThanANeighboursShardBreaksThePlan) {
    const Graph graph = signals(8, 9);
    const Mesh mesh = mesh_of({{"spatial", 8}});
    const ShardedGraph sharded = shard(graph, mesh, laying("length", "spatial"), 1);
    EXPECT_TRUE(has(sharded.limits, {WindowLimit{"conv"}}));
    const ShardedGraph wide = shard(graph, mesh_of({{"spatial", 4}}), laying("length", "spatial"), 1);
    EXPECT_TRUE(wide.limits.empty());
}

// 16 positions of 8 features on 4 ranks, read whole by a product of one feature a rank: two blocks of 4 x 8 at a time and 16
// results, where a tensor that is gathered has all of its 16 x 8.
TEST(AStreamedTensor, IsHeldTwoBlocksAtATime) {
    const Graph graph =
        graph::build(network(tensor({{"sequence", 16}, {"feature", 8}}),
                             {layer("relu", "relu"), layer("linear", "linear", {{"out", int64_t{4}}})}));
    Strategy strategy = laying("sequence", "context");
    strategy.rules[0].match.kinds = {"relu"};
    Rule product;
    product.match.kinds = {"linear"};
    product.lay = {{"out_feature", {"context"}, {}}};
    strategy.rules.push_back(product);
    const Mesh mesh = mesh_of({{"context", 4}});
    const auto transient = [&] {
        return shard(graph, mesh, strategy, 1).layers[find(graph, "linear")].transient_elements;
    };
    EXPECT_DOUBLE_EQ(transient(), 16 * 8 + 16);
    strategy.rules[1].stream = {"context"};
    EXPECT_DOUBLE_EQ(transient(), 2 * 4 * 8 + 16);
}

TEST(AnAxis, ThatSplitsNothingBreaksThePlan) {
    const Graph graph = signals(8, 3);
    const Mesh mesh = mesh_of({{"tensor", 2}});
    const ShardedGraph sharded = shard(graph, mesh, laying("head", "tensor"), 1);
    EXPECT_TRUE(has(sharded.limits, {IdleAxis{"tensor"}}));
}

}  // namespace shard_test
}  // namespace dodona::plan::test
