// A mixture of experts by hand: 6 tokens of 4 features, 2 of 8 experts each.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace mixture_test {

constexpr std::int64_t kTokens = 6, kFeatures = 4, kExperts = 8, kChosen = 2;
const Tensor kX = tensor({{"sequence", kTokens}, {"feature", kFeatures}});
const Tensor kScores = tensor({{"sequence", kTokens}, {"expert", kExperts}});

double flop(Flop f) { return f.in(unit::flop); }
Nest dispatch(const Values& more = {}) {
    Values values = more;
    values.emplace("top_k", kChosen);
    return nest("dispatch", {kX, kScores}, values);
}

/// A device with `ways`-th of the experts and all tokens.
LocalExtents shard(const Nest& built, double ways) {
    LocalExtents local = built.whole();
    const int expert = built.loop("expert");
    const double fullest = std::min(ways, built.loops[static_cast<std::size_t>(expert)].imbalance);
    local.loops[static_cast<std::size_t>(expert)] *= fullest / ways;
    local.ways.assign(local.loops.size(), 1);
    local.ways[static_cast<std::size_t>(expert)] = ways;
    return local;
}

TEST(Router, ScoresEveryExpertAndIsNeverSplit) {
    const Nest router = nest("router", {kX}, {{"experts", kExperts}});
    EXPECT_EQ(router.result, kScores);
    EXPECT_EQ(weights(router), kExperts * kFeatures);
    EXPECT_EQ(flop(router.work(router.whole()).model_forward), 2 * kTokens * kFeatures * kExperts);
    EXPECT_FALSE(router.loops[static_cast<std::size_t>(router.loop("expert"))].can_split);
}

TEST(Dispatch, MakesAsManyCopiesAsATokenHasExperts) {
    const Nest copies = dispatch();
    EXPECT_EQ(copies.result.elements(), kChosen * kTokens * kFeatures);
    const Work work = copies.work(copies.whole());
    EXPECT_EQ(work.forward[0].elements, 2 * kChosen * kTokens * kFeatures);
    EXPECT_EQ(work.backward_input[0].elements, (kChosen + 1) * kTokens * kFeatures);
    EXPECT_THROW(dispatch({{"top_k", kExperts + 1}}), InputError);
    EXPECT_THROW(nest("dispatch", {kX, kX}, {{"top_k", kChosen}}), InputError);
}

TEST(Dispatch, KnowsWhereTokensGo) {
    const auto routing = [](const Values& more) { return dispatch(more).result.dimensions[2].routing; };
    EXPECT_EQ(routing({}), (Routing{.experts = kExperts, .chosen = kChosen}));
    const Routing limited{.experts = kExperts, .chosen = kChosen, .groups = 4, .chosen_groups = 3};
    EXPECT_EQ(routing({{"groups", std::int64_t{4}}, {"top_groups", std::int64_t{3}}}), limited);
    EXPECT_EQ(routing({{"groups", std::int64_t{4}}}).chosen_groups, 4) << "all, if nothing is said";
    const Nest product = nest("expert_linear", {dispatch().result}, {{"out", std::int64_t{10}}});
    EXPECT_EQ(product.result.dimensions[2].routing, routing({})) << "results go back alike";
    EXPECT_THROW(dispatch({{"groups", std::int64_t{3}}}), InputError) << "8 experts in 3 groups";
    EXPECT_THROW(dispatch({{"groups", std::int64_t{4}}, {"top_groups", std::int64_t{5}}}), InputError);
    EXPECT_THROW(dispatch({{"groups", kExperts}, {"top_groups", std::int64_t{1}}}), InputError) << "2 experts of one";
}

TEST(Dispatch, WithACapacityPadsOrDrops) {
    EXPECT_EQ(dispatch({{"capacity", 1.5}}).result.elements(), 1.5 * kChosen * kTokens * kFeatures);
    EXPECT_THROW(dispatch({{"capacity", 1.5}, {"imbalance", 1.2}}), InputError);
}

TEST(ExpertLinear, WorksOnEachTokenForEachOfItsExperts) {
    const Nest product = nest("expert_linear", {dispatch().result}, {{"out", std::int64_t{10}}, {"bias", true}});
    EXPECT_EQ(weights(product), kExperts * (10 * kFeatures + 10));
    const Work work = product.work(product.whole());
    // Eight products of 6 * 2 / 8 = 1.5 tokens each: what a dense layer of two experts' width does.
    EXPECT_EQ(work.forward[0].batch, kExperts);
    EXPECT_EQ(work.forward[0].m, 1.5);
    EXPECT_EQ(flop(work.model_forward), 2 * kTokens * kFeatures * kChosen * 10);
    EXPECT_EQ(flop(work.backward_input[0].flops), flop(work.model_forward));
    EXPECT_EQ(flop(work.backward_weight[0].flops), flop(work.model_forward));
    EXPECT_THROW(nest("expert_linear", {kX}, {{"out", std::int64_t{10}}}), InputError);
}

TEST(ExpertLinear, OnARankOfItsOwnExpertsDoesItsShare) {
    const Nest product = nest("expert_linear", {dispatch().result}, {{"out", std::int64_t{10}}});
    const double whole = flop(product.work(product.whole()).forward[0].flops);
    const Work quarter = product.work(shard(product, 4));
    EXPECT_EQ(flop(quarter.forward[0].flops), whole / 4);
    EXPECT_EQ(quarter.forward[0].batch, 2);
    EXPECT_EQ(quarter.forward[0].m, 1.5);
}

TEST(ExpertLinear, OnTheMostLoadedRankDoesMore) {
    const Nest even = nest("expert_linear", {dispatch().result}, {{"out", std::int64_t{10}}});
    const Nest uneven = nest("expert_linear", {dispatch({{"imbalance", 1.25}}).result}, {{"out", std::int64_t{10}}});
    const auto work = [](const Nest& built, double ways) {
        return flop(built.work(shard(built, ways)).forward[0].flops);
    };
    EXPECT_EQ(work(uneven, 1), work(even, 1)) << "all experts on one rank";
    EXPECT_DOUBLE_EQ(work(uneven, 4), 1.25 * work(even, 4));
}

TEST(Combine, SumsATokensExperts) {
    const Nest sum = nest("combine", {dispatch().result, kScores});
    EXPECT_EQ(sum.result, kX);
    const Work work = sum.work(sum.whole());
    EXPECT_EQ(work.forward[0].elements, (kChosen + 1) * kTokens * kFeatures);
    EXPECT_EQ(flop(work.forward[0].flops), 2 * kChosen * kTokens * kFeatures);
    ASSERT_EQ(sum.saved.size(), 1U);
    EXPECT_EQ(sum.saved[0].operand, 1) << "the scores alone";
}

TEST(ElementWise, OnDispatchedTokensCountsCopies) {
    const Nest silu = nest("silu", {dispatch().result});
    EXPECT_EQ(silu.work(silu.whole()).forward[0].elements, 2 * kChosen * kTokens * kFeatures);
}

}  // namespace mixture_test
}  // namespace dodona::graph::test
