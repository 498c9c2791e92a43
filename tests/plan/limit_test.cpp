// Limits: what they say, how many pieces they count, and which one of a pipeline holds.
#include "plan/limit.hpp"

#include <gtest/gtest.h>

#include "plan/axis_limit.hpp"
#include "plan/recompute.hpp"
#include "tests/graph/networks.hpp"

namespace dodona::plan::test {
namespace limit_test {

using graph::test::block;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;

TEST(ALimit, SaysHowManyPiecesAreSplitHowManyWays) {
    EXPECT_EQ(text(Limit{LoopLimit{"filter", 10, {"down", "conv"}}, 16}),
              "filter <= 10: layer down (conv) cannot be split further");
    EXPECT_EQ(text(Limit{UnevenLoop{"filter", 10, {"down", "conv"}}, 4}),
              "filter 10 of layer down divides unevenly 4 ways: the largest shard has 3");
    EXPECT_EQ(text(Limit{UnevenBatch{12}, 8}), "the batch of 12 does not divide by 8 data ranks");
    EXPECT_EQ(text(LimitCause{UnevenBatch{12}}), "the batch does not divide by the data ranks");
    EXPECT_EQ(text(Limit{UnevenBlocks{7}, 2}), "7 blocks do not divide evenly into 2 stages");
}

TEST(ALimit, BoundsWhatItNames) {
    const auto bound = [](LimitCause cause) {
        const std::optional<UpperBound> found = Limit{std::move(cause), 16}.upper_bound();
        return found ? found->of + " <= " + std::to_string(found->most) : "none";
    };
    EXPECT_EQ(bound(LoopLimit{"filter", 10, {"down", "conv"}}), "filter <= 10");
    EXPECT_EQ(bound(BatchLimit{{"data", "expert"}, 12}), "data x expert <= 12");
    EXPECT_EQ(bound(SegmentLimit{.segments = 5}), "pipeline <= 5");
    EXPECT_EQ(bound(UnevenBatch{12}), "none");
}

TEST(ALimit, CountsPiecesWhereThereAreSome) {
    EXPECT_EQ((Limit{SegmentLimit{.segments = 5}, 8}.pieces()), 5);
    EXPECT_EQ((Limit{UnevenBatch{12}, 8}.pieces()), 12);
    EXPECT_EQ((Limit{NothingToShard{}, 1}.pieces()), std::nullopt);
}

/// A product, `blocks` blocks and a product, on a pipeline of so many stages.
std::string limits_of_pipeline(std::int64_t blocks, std::int64_t stages) {
    const auto linear = [](const char* name) { return layer(name, "linear", {{"out", std::int64_t{16}}}); };
    const graph::Graph graph = graph::build(network(
        tensor({{"feature", 16}}), {linear("stem"), block("body", blocks, {linear("product")}), linear("head")}));
    Plan plan;
    plan.strategy.name = "pipeline";
    plan.strategy.axes = {"pipeline"};
    plan.strategy.pipeline = "pipeline";
    plan.mesh = {{"pipeline", stages}};
    return text(limits_on(graph, plan, std::nullopt));
}

TEST(APipeline, HasAsManyStagesAsPieces) {
    EXPECT_EQ(limits_of_pipeline(4, 1), "");
    EXPECT_EQ(limits_of_pipeline(4, 2), "");
    EXPECT_EQ(limits_of_pipeline(4, 3), "4 blocks do not divide evenly into 3 stages");
    EXPECT_EQ(limits_of_pipeline(4, 6), "4 blocks do not divide evenly into 6 stages");
    EXPECT_EQ(limits_of_pipeline(4, 7), "pipeline <= 6: the network has 6 pieces to cut");
    EXPECT_EQ(limits_of_pipeline(1, 2), "1 blocks do not divide evenly into 2 stages");
}

TEST(LayersToRecompute, SayAllConditionsOfTheirs) {
    EXPECT_EQ(text(layers_named("norm")), "norm");
    EXPECT_EQ(text(Match{.kinds = {"linear", "conv"}, .roles = {}, .names = {}, .first = {}}), "{kind linear or conv}");
    EXPECT_EQ(text(Match{.kinds = {}, .roles = {}, .names = {"norm"}, .first = {}}), "{name norm}");
    EXPECT_EQ(text(Match{.kinds = {}, .roles = {}, .names = {"norm", "*/gate"}, .first = {}}), "{name norm or */gate}");
    Match match = layers_named("norm");
    match.first = true;
    EXPECT_EQ(text(match), "{name norm or */norm, first true}");
    match = layers_named("norm");
    match.kinds = {"rms_norm"};
    EXPECT_EQ(text(match), "{kind rms_norm, name norm or */norm}");
    match = layers_named("norm");
    match.roles = {"router"};
    EXPECT_EQ(text(match), "{role router, name norm or */norm}");
}

}  // namespace limit_test
}  // namespace dodona::plan::test
