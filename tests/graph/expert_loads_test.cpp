// Loads of experts as they were measured, by hand.
#include "graph/expert_loads.hpp"

#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {
namespace expert_loads_test {

TEST(ExpertLoads, MakeTheRankWithTheBusyExpertsTheFullest) {
    // 60 of 100 tokens go to the first two of four experts.
    const std::vector<double> fullest = fullest_ranks({{20, 40, 30, 10}});
    ASSERT_EQ(fullest.size(), 4U);
    EXPECT_DOUBLE_EQ(fullest[0], 1);
    EXPECT_DOUBLE_EQ(fullest[1], 1.2) << "60 of 50";
    EXPECT_DOUBLE_EQ(fullest[2], 1.2) << "two experts on each of the first two ranks, none on the third";
    EXPECT_DOUBLE_EQ(fullest[3], 1.6) << "40 of 25";
}

TEST(ExpertLoads, OfLayersCountOnAverage) {
    const std::vector<double> fullest = fullest_ranks({{30, 10}, {10, 10}, {0, 5}});
    EXPECT_DOUBLE_EQ(fullest[1], (1.5 + 1 + 2) / 3);
}

TEST(ExpertLoads, OfAnUnevenSplitAreThoseOfWhatARankHas) {
    // Three experts on two ranks: 2 and 1. The first has 30 of 60 tokens, less than the 40 of equal experts.
    EXPECT_DOUBLE_EQ(fullest_ranks({{15, 15, 30}})[1], 0.75);
}

Graph mixture(Values dispatch = {}) {
    dispatch.emplace("top_k", std::int64_t{1});
    return build(network(
        tensor({{"sequence", 8}, {"feature", 4}}),
        {layer("router", "router", {{"experts", std::int64_t{4}}}),
         layer("dispatch", "dispatch", dispatch, {"x", "router"}),
         layer("up", "expert_linear", {{"out", std::int64_t{4}}}), layer("combine", "combine", {}, {"up", "router"})}));
}

TEST(ExpertLoads, AreTakenByEveryLayerOfAMixture) {
    Graph graph = mixture();
    EXPECT_EQ(take_loads(graph, {{1, 1, 1, 3}}), LoadsTaken::taken);
    const Layer& up = graph.layer(find(graph, "up"));
    EXPECT_EQ(up.nest.loops[2].fullest, (std::vector<double>{1, 8.0 / 6, 8.0 / 6, 2}));
    EXPECT_EQ(up.nest.result.dimensions[2].fullest, up.nest.loops[2].fullest);
    EXPECT_TRUE(graph.layer(find(graph, "router")).nest.loops[3].fullest.empty()) << "the router is whole everywhere";
}

TEST(ExpertLoads, AreAlikeWithACapacityAndNeedANumberOfExperts) {
    Graph even = mixture({{"capacity", 1.25}});
    EXPECT_EQ(take_loads(even, {{1, 1, 1, 3}}), LoadsTaken::even);
    Graph four = mixture();
    EXPECT_EQ(take_loads(four, {{1, 1, 3}}), LoadsTaken::other_number);
}

}  // namespace expert_loads_test
}  // namespace dodona::graph::test
