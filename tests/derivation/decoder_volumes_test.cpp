// What travels in networks that scale, normalise and enlarge images, per rank and micro-batch, worked out by hand.
//
// Two samples of fp32 images; a: 4 -> 8 channels of 16 x 16, 2*8*256*4 = 16,384 bytes.
#include <gtest/gtest.h>

#include "derived.hpp"
#include "tests/graph/networks.hpp"

namespace dodona::derivation {
namespace decoder_volumes_test {

using graph::Entry;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using std::int64_t;

Entry conv(const std::string& name, int64_t filters) {
    return layer(name, "conv", {{"filters", filters}, {"kernel", int64_t{3}}, {"pad", int64_t{1}}, {"bias", false}});
}

/// 4 x 4 windows that double an image, as DCGAN's generator has them.
Entry up(int64_t filters) {
    return layer(
        "up", "conv_transpose",
        {{"filters", filters}, {"kernel", int64_t{4}}, {"stride", int64_t{2}}, {"pad", int64_t{1}}, {"bias", false}});
}

graph::NetworkSpec images(std::vector<Entry> entries) {
    return network(tensor({{"channel", 4}, {"height", 16}, {"width", 16}}), std::move(entries));
}

plan::Plan on_four(const std::string& strategy, const std::string& axis) {
    plan::Plan plan = plan_of(strategy, {{axis, 4}});
    plan.microbatch = 2;
    plan.batch = 2;
    return plan;
}

// A row from each neighbour: forward 2 rows of 16 of 8 channels of 2 samples, 2*16*8*2*4 = 2,048 bytes; backward 2 rows
// of 32 of 4 filters of 2 samples, as many.
TEST(ATransposedConvolution, ExchangesRowsOfItsInputForwardAndOfItsGradientBackward) {
    const Derived net(images({conv("a", 8), up(4)}), on_four("spatial", "spatial"));
    expect(net.segment("up", Phase::forward, Collective::halo), 1, 2048, 2048);
    expect(net.segment("up", Phase::backward, Collective::halo), 1, 2048, 2048);
    EXPECT_EQ(net.collectives("up", Phase::forward), 1);
}

// Its filters split: c gathers 2 * 4 * 32 * 32 * 4 = 32,768 bytes, and what it read was gathered from a's filters.
TEST(ATransposedConvolution, SplitsItsFiltersAsAConvolutionDoes) {
    const Derived net(images({conv("a", 8), up(4), conv("c", 8)}), on_four("filter", "filter"));
    expect(net.segment("up", Phase::forward, Collective::all_gather), 1, 16'384, 12'288);
    expect(net.segment("up", Phase::backward, Collective::reduce_scatter), 1, 16'384, 12'288);
    expect(net.segment("c", Phase::forward, Collective::all_gather), 1, 32'768, 24'576);
    EXPECT_TRUE(net.states().empty());
}

TEST(ATransposedConvolution, SplitsItsChannelsAsAConvolutionDoes) {
    const Derived net(images({conv("a", 8), up(4), conv("c", 8)}), on_four("channel", "channel"));
    expect(net.segment("c", Phase::forward, Collective::reduce_scatter), 1, 32'768, 24'576);
    expect(net.segment("c", Phase::backward, Collective::all_gather), 1, 32'768, 24'576);
}

// Two fp32 sums for each of 2 samples and 2 groups, forward and backward: 16 bytes each, 2 * 3/4 of them sent.
TEST(AGroupNorm, ReducesItsStatisticsWhereAnImageIsSplit) {
    const Derived net(images({conv("a", 8), layer("norm", "group_norm", {{"groups", int64_t{2}}})}),
                      on_four("spatial", "spatial"));
    expect(net.segment("norm", Phase::forward, Collective::all_reduce), 2, 32, 48);
    expect(net.segment("norm", Phase::backward, Collective::all_reduce), 2, 32, 48);
    const Derived filters(images({conv("a", 8), layer("norm", "group_norm", {{"groups", int64_t{4}}})}),
                          on_four("filter", "filter"));
    EXPECT_EQ(filters.collectives("norm", Phase::forward), 0) << "a group on every rank";
}

// Squeeze and excitation: the pooled features are partial sums over the positions, and so is the gradient of the scale;
// both are 2 * 8 * 4 = 64 bytes.
TEST(AScale, ReducesItsGradientOverSplitPositions) {
    const Derived net(
        images({conv("a", 8), layer("pool", "global_pool"), layer("squeeze", "linear", {{"out", int64_t{8}}}),
                layer("gate", "sigmoid"), layer("scaled", "multiply", {}, {"a", "gate"})}),
        on_four("spatial", "spatial"));
    expect(net.segment("squeeze", Phase::forward, Collective::all_reduce), 1, 64, 96);
    expect(net.segment("scaled", Phase::backward, Collective::all_reduce), 1, 64, 96);
    EXPECT_EQ(net.collectives("scaled", Phase::forward), 0);
}

// Height split: the pixels' losses stay where they are, and nothing of them travels.
TEST(ALossOfPixels, IsLocalWhereAnImageIsSplit) {
    graph::NetworkSpec spec = images({conv("a", 8), layer("loss", "mean_squared_error", {}, {"a", "target"})});
    spec.inputs.push_back({"target", tensor({{"channel", 8}, {"height", 16}, {"width", 16}}), {}});
    const Derived net(spec, on_four("spatial", "spatial"));
    EXPECT_EQ(net.collectives("loss", Phase::forward) + net.collectives("loss", Phase::backward), 0);
    const Derived segmented(images({conv("a", 8), layer("loss", "cross_entropy")}), on_four("spatial", "spatial"));
    EXPECT_EQ(segmented.collectives("loss", Phase::forward) + segmented.collectives("loss", Phase::backward), 0);
}

// Cropped rows are gathered: 16,384 bytes, 3/4 sent; their gradient is whole on every rank and sliced.
TEST(ACrop, GathersTheDimensionThatItCuts) {
    const Derived net(images({conv("a", 8), layer("crop", "crop", {{"height", int64_t{8}}})}),
                      on_four("spatial", "spatial"));
    expect(net.segment("crop", Phase::forward, Collective::all_gather), 1, 16'384, 12'288);
    EXPECT_EQ(net.collectives("crop", Phase::backward), 0);
}

}  // namespace decoder_volumes_test
}  // namespace dodona::derivation
