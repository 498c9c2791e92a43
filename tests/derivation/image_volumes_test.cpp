// What travels in networks on images, per rank and micro-batch, worked out by hand.
//
// Three convolutions on 16 by 16 images of fp32 numbers, "same" padding, no biases; two samples.
#include <gtest/gtest.h>

#include "derived.hpp"
#include "tests/graph/networks.hpp"

namespace dodona::derivation {
namespace image_volumes_test {

using graph::Entry;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using std::int64_t;

Entry conv(const std::string& name, int64_t filters, int64_t kernel, int64_t stride = 1) {
    return layer(name, "conv",
                 {{"filters", filters}, {"kernel", kernel}, {"stride", stride}, {"pad", kernel / 2}, {"bias", false}});
}

graph::NetworkSpec images(std::vector<Entry> entries) {
    return network(tensor({{"channel", 4}, {"height", 16}, {"width", 16}}), std::move(entries));
}

/// a: 4 -> 8, b: 8 -> 16, c: 16 -> 8. Outputs of two samples: a 2*8*256*4 = 16,384 bytes, b 32,768, c 16,384.
graph::NetworkSpec chain(int64_t kernel) {
    return images({conv("a", 8, kernel), conv("b", 16, kernel), conv("c", 8, kernel)});
}

/// Higher, so that four shards of a height are as high as the window.
graph::NetworkSpec tall(std::vector<Entry> entries) {
    return network(tensor({{"channel", 4}, {"height", 32}, {"width", 16}}), std::move(entries));
}

graph::NetworkSpec tall_chain(int64_t kernel) {
    return tall({conv("a", 8, kernel), conv("b", 16, kernel), conv("c", 8, kernel)});
}

plan::Plan two_samples(plan::Plan plan) {
    plan.microbatch = 2;
    plan.batch = 2;
    return plan;
}

plan::Plan on_four(const std::string& strategy, const std::string& axis) {
    return two_samples(plan_of(strategy, {{axis, 4}}));
}

// b gathers a's output: 3/4 * 16,384 = 12,288, and scatters its gradient.
TEST(FilterParallelism, GathersOutputsAndScattersTheirGradients) {
    const Derived net(chain(3), on_four("filter", "filter"));
    expect(net.segment("b", Phase::forward, Collective::all_gather), 1, 16'384, 12'288);
    expect(net.segment("b", Phase::backward, Collective::reduce_scatter), 1, 16'384, 12'288);
    expect(net.segment("c", Phase::forward, Collective::all_gather), 1, 32'768, 24'576);
    EXPECT_EQ(net.collectives("a", Phase::forward) + net.collectives("a", Phase::backward), 0);
    EXPECT_TRUE(net.states().empty());  // weights are split
}

// dX as in Table 3: an all-reduce, 2 * 3/4 * 16,384.
TEST(FilterParallelism, AsInTable3ReducesGradientsWhole) {
    const Derived net(chain(3), on_four("filter-paradl", "filter"));
    expect(net.segment("a", Phase::forward, Collective::all_gather), 1, 16'384, 12'288);
    expect(net.segment("b", Phase::backward, Collective::all_reduce), 1, 16'384, 24'576);
    expect_none(net.segment("b", Phase::backward, Collective::reduce_scatter));
    EXPECT_TRUE(net.states().empty());
}

// c scatters b's partial output onto its channels and gathers dY: 3/4 * 32,768. The first layer is not split.
TEST(ChannelParallelism, ScattersOutputsAndGathersTheirGradients) {
    const Derived net(chain(3), on_four("channel", "channel"));
    expect(net.segment("c", Phase::forward, Collective::reduce_scatter), 1, 32'768, 24'576);
    expect(net.segment("c", Phase::backward, Collective::all_gather), 1, 32'768, 24'576);
    EXPECT_EQ(net.collectives("b", Phase::forward), 0);  // a slice of a's output
    expect(net.segment("b", Phase::backward, Collective::all_gather), 1, 16'384, 12'288);
    EXPECT_TRUE(net.states().empty());
}

TEST(ChannelParallelism, AsInTable3ReducesOutputsWhole) {
    const Derived net(chain(3), on_four("channel-paradl", "channel"));
    expect(net.segment("b", Phase::forward, Collective::all_reduce), 1, 32'768, 49'152);
    expect(net.segment("c", Phase::backward, Collective::all_gather), 1, 32'768, 24'576);
}

// b's partial sums go to shards of the height at once, 3/4 of 32,768 bytes; its own gradient comes back to all.
TEST(AForcedOutput, IsMirroredOnItsOwnGradient) {
    const plan::Strategy strategy = strategy_of(R"(
axes: [ranks]
rules:
  - {match: {kind: conv}, lay: {channel: ranks}, output: {height: ranks}}
)");
    const Derived net(chain(3), two_samples(plan_of(strategy, {{"ranks", 4}})));
    expect(net.segment("b", Phase::forward, Collective::reduce_scatter), 1, 32'768, 24'576);
    expect(net.segment("b", Phase::backward, Collective::all_gather), 1, 32'768, 24'576);
    // What b reads are shards of a's height, and it wants channels: 16,384 / 4 local bytes both ways.
    expect(net.segment("b", Phase::forward, Collective::all_to_all), 1, 4096, 3072);
    expect(net.segment("b", Phase::backward, Collective::all_to_all), 1, 4096, 3072);
}

TEST(AFirstTrainedLayer, NeedsNoGradientOfWhatItReads) {
    const Derived net(images({layer("clean", "relu"), conv("a", 8, 3)}), on_four("filter", "filter"));
    EXPECT_EQ(net.sent_in_layers(), 0);
}

// 16 tokens of 8 fp32 numbers: 512 bytes, 2 * 3/4 of it once after the two layers and once before them backward.
TEST(AColumnThenARow, NeedNothingBetweenThem) {
    Entry up = layer("up", "linear", {{"out", int64_t{32}}});
    Entry down = layer("down", "linear", {{"out", int64_t{8}}});
    up.role = "column";
    down.role = "row";
    const Derived net(
        network(tensor({{"sequence", 16}, {"feature", 8}}),
                {layer("before", "layer_norm"), up, layer("gelu", "gelu"), down, layer("after", "layer_norm")}),
        plan_of("megatron", {{"tensor", 4}}));
    expect(net.segment("after", Phase::forward, Collective::all_reduce), 1, 512, 768);
    expect(net.segment("up", Phase::backward, Collective::all_reduce), 1, 512, 768);
    EXPECT_EQ(net.sent_in_layers(), 2 * 768);
    EXPECT_TRUE(net.states().empty());
}

// K = 5: two rows of 16 * 8 channels * 2 samples * 4 bytes = 1,024 to each neighbour; of dY with 16 filters twice that.
TEST(SpatialParallelism, ExchangesHalfAKernelWithEachNeighbour) {
    const Derived net(tall_chain(5), on_four("spatial", "spatial"));
    expect(net.segment("b", Phase::forward, Collective::halo), 1, 2 * 2 * 1024, 4096);
    expect(net.segment("b", Phase::backward, Collective::halo), 1, 2 * 2 * 2048, 8192);
    EXPECT_EQ(net.collectives("b", Phase::forward) + net.collectives("b", Phase::backward), 2);
}

// The first layer reads halos of samples, but needs no dX and so no halo of dY.
TEST(SpatialParallelism, NeedsNoGradientOfSamples) {
    const Derived net(tall_chain(5), on_four("spatial", "spatial"));
    expect(net.segment("a", Phase::forward, Collective::halo), 1, 2 * 2 * 512, 2048);
    EXPECT_EQ(net.collectives("a", Phase::backward), 0);
}

TEST(SpatialParallelism, HasOneNeighbourAtTheRim) {
    const Derived net(tall_chain(5), two_samples(plan_of("spatial", {{"spatial", 2}})));
    expect(net.segment("b", Phase::forward, Collective::halo), 1, 2 * 1024, 2048);
}

// 4 * (4*8*9 + 8*16*9 + 16*8*9) = 10,368 bytes of gradients over all p: 2 * 3/4 of it.
TEST(SpatialParallelism, ReducesGradientsOverAllRanks) {
    const Derived net(chain(3), on_four("spatial", "spatial"));
    expect(net.state(Collective::all_reduce), 1, 10'368, 15'552);
}

// K = 3, S = 2: one row from one side, of X 16 * 8 * 2 * 4 = 1,024 bytes, of dY (8 wide, 8 filters) 512.
TEST(SpatialParallelism, WithAStrideOfTwoNeedsOneRowFromOneSide) {
    const Derived net(tall({conv("a", 8, 3), conv("b", 8, 3, 2)}), on_four("spatial", "spatial"));
    expect(net.segment("b", Phase::forward, Collective::halo), 1, 1024, 1024);
    expect(net.segment("b", Phase::backward, Collective::halo), 1, 512, 512);
}

// Height over 4, width over 2: rows of 8 first, 2 * (8 * 8) * 2 * 4 = 1,024 bytes; then columns of 4 + 2 rows with the
// corners, 1 * (6 * 8) * 2 * 4 = 384.
TEST(SpatialParallelism, InTwoDimensionsCarriesTheCorners) {
    const Derived net(chain(3), two_samples(plan_of("spatial-2d", {{"width", 2}, {"height", 4}})));
    expect(net.segment("b", Phase::forward, Collective::halo), 2, 1024 + 384, 1024 + 384);
}

// A dense classifier reads whole images: 2 * 8 * 256 * 4 = 16,384 bytes are gathered, their gradient is sliced.
TEST(TheEndOfASpatialSplit, GathersTheLastFeatureMapAndSlicesItsGradient) {
    const Derived net(images({conv("a", 8, 3), layer("flatten", "flatten"),
                              layer("classifier", "linear", {{"out", int64_t{10}}}), layer("loss", "cross_entropy")}),
                      on_four("spatial", "spatial"));
    expect(net.segment("flatten", Phase::forward, Collective::all_gather), 1, 16'384, 12'288);
    for (const char* unit : {"flatten", "classifier", "loss"}) {
        EXPECT_EQ(net.collectives(unit, Phase::backward), 0) << unit;
    }
    EXPECT_EQ(net.collectives("classifier", Phase::forward), 0);
}

// A pooled image is 8 partial sums a sample: 2 * 8 * 4 = 64 bytes are reduced instead of 16,384 gathered.
TEST(TheEndOfASpatialSplit, ReducesPooledFeatures) {
    const Derived net(
        images({conv("a", 8, 3), layer("pool", "global_pool"), layer("classifier", "linear", {{"out", int64_t{10}}})}),
        on_four("spatial", "spatial"));
    expect(net.segment("classifier", Phase::forward, Collective::all_reduce), 1, 64, 96);
    EXPECT_EQ(net.collectives("classifier", Phase::backward) + net.collectives("pool", Phase::backward), 0);
}

// 2 * 8 fp32 numbers forward and 2 * 8 backward, whatever the precision: 64 bytes, 2 * 3/4 of it.
TEST(ABatchNorm, ReducesTwoNumbersAChannelIfSynchronised) {
    plan::Plan plan = plan_of("data", {{"data", 4}});
    plan.precision = Precision::fp16;
    const auto norm = [](bool synchronised) {
        return images({conv("a", 8, 3), layer("norm", "batch_norm", {{"synchronised", synchronised}})});
    };
    const Derived synchronised(norm(true), plan);
    for (const Phase phase : {Phase::forward, Phase::backward}) {
        const Tally numbers = synchronised.segment("norm", phase, Collective::all_reduce, Purpose::statistic);
        EXPECT_EQ(numbers.bytes, 64);
        EXPECT_EQ(numbers.sent, 96);
    }
    EXPECT_EQ(Derived(norm(false), plan).sent_in_layers(), 0);
}

}  // namespace image_volumes_test
}  // namespace dodona::derivation
