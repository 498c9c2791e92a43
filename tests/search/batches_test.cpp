// Batches near one that does not divide among the devices.
#include "search/batches.hpp"

#include <gtest/gtest.h>

#include "../step/scenes.hpp"

namespace dodona::search {
namespace batches_test {

using step::test::small_cluster;
using step::test::small_network;
using step::test::strategy;
using Batches = std::vector<std::int64_t>;

TEST(Batches, NearOnesDivideAmongTheDevices) {
    EXPECT_EQ(dividing_batches(2047, 8), (Batches{2040, 2048}));
    EXPECT_EQ(dividing_batches(256, 12), (Batches{252, 264}));
    EXPECT_EQ(nearest_dividing_batch(2047, 8), 2048);
    EXPECT_EQ(nearest_dividing_batch(256, 12), 252);
    EXPECT_EQ(nearest_dividing_batch(512, 24), 504) << "24 GPUs are not left out";
}

TEST(Batches, OneThatDividesAmongHalfOfThemStays) {
    EXPECT_TRUE(dividing_batches(1536, 1024).empty()) << "512 data ranks";
    EXPECT_TRUE(dividing_batches(64, 64).empty());
    EXPECT_TRUE(dividing_batches(7, 1).empty());
    EXPECT_EQ(nearest_dividing_batch(1536, 1024), 1536);
}

TEST(Batches, FartherThanATenthIsAnotherQuestion) {
    EXPECT_TRUE(dividing_batches(5, 3).empty());
    EXPECT_TRUE(dividing_batches(3, 64).empty());
    EXPECT_EQ(dividing_batches(1920, 2240), (Batches{1960})) << "1,680 and 2,240 are too far; 280 ranks";
}

TEST(Batches, OfLongSamplesAreSharedByDevices) {
    // A sample of 2^20 tokens; a step has at most 2^24.
    using graph::test::layer;
    const graph::Graph graph = graph::build(graph::test::network(
        graph::test::tensor({{"sequence", 1 << 20}}, graph::Element::index),
        {layer("embedding", "embedding", {{"vocabulary", std::int64_t{8}}, {"features", std::int64_t{8}}})}));
    EXPECT_EQ(default_batch(graph, small_cluster(), 2), 4) << "2^22 tokens where there are more than devices";
    EXPECT_EQ(default_batch(graph, small_cluster(), 16), 16);
    EXPECT_EQ(default_batch(graph, small_cluster(), 64), 16) << "four share one";
    EXPECT_EQ(default_batch(graph, small_cluster(), 34), 17) << "no four divide 34";
}

TEST(Batches, OfNetworksThatAreMostlyFrozenAreSmall) {
    // Ten layers of equal weights over 2^10 tokens, of which so many are trained.
    using graph::test::layer;
    const auto batch = [](std::int64_t trained) {
        graph::Entry frozen =
            graph::test::block("frozen", 10 - trained, {layer("fc", "linear", {{"out", std::int64_t{8}}})});
        frozen.frozen = true;
        const graph::Graph graph = graph::build(graph::test::network(
            graph::test::tensor({{"sequence", 1 << 10}, {"feature", 8}}),
            {frozen, graph::test::block("trained", trained, {layer("fc", "linear", {{"out", std::int64_t{8}}})})}));
        return default_batch(graph, small_cluster(), 8);
    };
    EXPECT_EQ(batch(4), 128) << "most weights are frozen";
    EXPECT_EQ(batch(5), 4096) << "2^22 tokens";
    EXPECT_EQ(batch(9), 4096);
}

TEST(Batches, ThoseAreShownThatTrainFaster) {
    Space space{.devices = 4,
                .batch = 31,
                .precision = Precision::fp32,
                .strategies = {strategy("data", {"data"})},
                .optimizer = plan::OptimizerKind::momentum};
    const graph::Graph graph = small_network();
    const Answer odd = search(graph, small_cluster(), space);
    EXPECT_TRUE(odd.plans.empty()) << "31 samples on 4 data ranks";
    const std::vector<OtherBatch> better = better_batches(graph, small_cluster(), space, odd);
    ASSERT_EQ(better.size(), 2U);
    EXPECT_EQ(better[0].gain, 0) << "nothing fits under the batch asked about";
    EXPECT_GE(better[0].plan.samples_per_second, better[1].plan.samples_per_second);
    space.batch = 32;
    EXPECT_TRUE(better_batches(graph, small_cluster(), space, search(graph, small_cluster(), space)).empty());
}

}  // namespace batches_test
}  // namespace dodona::search
