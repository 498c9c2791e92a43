// What travels in mixtures of experts and over a split sequence, per rank and layer, worked out by hand.
//
// Mixtral 8x7B: s 4,096, h 4,096, f 14,336, 8 experts, 2 a token. A sample's copies are s*k*h*e = 4,096 * 2 * 4,096 * 2
// = 67,108,864 bytes in fp16. Llama 3.1 8B: s 8,192, h 4,096, keys and values of 8 * 128 = 1,024 features each.
#include <gtest/gtest.h>

#include "derived.hpp"
#include "step/evaluate.hpp"

namespace dodona::derivation {
namespace experts_test {

constexpr double kCopies = 67'108'864;
constexpr double kSentOn8 = 58'720'256;  // 7/8
const std::string kBlock = "layers[2..32]";

plan::Plan half(const std::string& strategy, std::vector<plan::MeshAxis> mesh) {
    plan::Plan plan = plan_of(strategy, std::move(mesh));
    plan.fold_axes();
    plan.precision = Precision::fp16;
    return plan;
}

Flop executed(const Derived& derived) { return derived.costed().segments.at(2).forward.executed; }

TEST(ExpertParallelism, DispatchesAndCombinesByAllToAll) {
    const Derived mixtral(model("mixtral-8x7b"), half("expert", {{"data", 8}, {"expert", 8}}));
    for (const Phase phase : {Phase::forward, Phase::backward}) {
        expect(mixtral.segment(kBlock, phase, Collective::all_to_all), 2, 2 * kCopies, 2 * kSentOn8);
        EXPECT_EQ(mixtral.collectives(kBlock, phase), 2);
    }
}

TEST(ExpertParallelism, ExchangesKnowWhereTokensGo) {
    const Derived deepseek(model("deepseek-v3"), half("expert", {{"data", 64}, {"expert", 64}}));
    const graph::Routing routing{.experts = 256, .chosen = 8, .groups = 8, .chosen_groups = 4};
    int exchanges = 0;
    for (const step::SegmentCost& segment : deepseek.costed().segments) {
        for (const step::TimedTransfer& timed : segment.transfers) {
            const bool is_exchange = timed.what.transfer.collective == Collective::all_to_all;
            EXPECT_EQ(timed.what.transfer.routing, is_exchange ? routing : graph::Routing{});
            exchanges += is_exchange ? 1 : 0;
        }
    }
    EXPECT_EQ(exchanges, 2 * 4) << "there and back, forward and backward, of the first block and of the others";
}

// One byte an element and a scale of 4 bytes for 128 of them, instead of 2 bytes: to the experts and, in backward, for the
// gradients of their results; 16 bits the other way.
TEST(ExpertParallelism, SendsTokensInEightBitsWhereSoftwareDoes) {
    plan::Plan plan = half("expert", {{"data", 8}, {"expert", 8}});
    plan.framework.number(plan::FrameworkParameter::dispatch_width).value = 33.0 / 64;
    const Derived mixtral(model("mixtral-8x7b"), plan);
    constexpr double kBoth = 1 + 33.0 / 64;
    for (const Phase phase : {Phase::forward, Phase::backward}) {
        expect(mixtral.segment(kBlock, phase, Collective::all_to_all), 2, kBoth * kCopies, kBoth * kSentOn8);
    }
    for (const step::SegmentCost& segment : mixtral.costed().segments) {
        for (const step::TimedTransfer& timed : segment.transfers) {
            const bool is_short = timed.size < 2_B * timed.what.transfer.elements;
            EXPECT_EQ(is_short, timed.what.transfer.to_experts);
            EXPECT_FALSE(is_short && timed.what.transfer.collective != Collective::all_to_all);
        }
    }
}

TEST(ExpertParallelism, MovesWhatTheMostLoadedRankHas) {
    const Derived mixtral(model("mixtral-8x7b", {{"imbalance", "1.25"}}), half("expert", {{"data", 8}, {"expert", 8}}));
    const Derived even(model("mixtral-8x7b"), half("expert", {{"data", 8}, {"expert", 8}}));
    expect(mixtral.segment(kBlock, Phase::backward, Collective::all_to_all), 2, 2 * 1.25 * kCopies,
           2 * 1.25 * kSentOn8);
    EXPECT_GT(executed(mixtral), executed(even));
}

// Dense weights are copied over data, experts' over data / expert: 3 f h 8 / 8 elements of 32 layers over two ranks.
TEST(ExpertParallelism, ReducesExpertGradientsOnlyWhereExpertsAreCopied) {
    const double experts = 32.0 * 3 * 14'336 * 4'096 * 4;  // fp32
    const double dense = (46'702'792'704.0 - 32.0 * 8 * 3 * 14'336 * 4'096) * 4;
    const Derived mixtral(model("mixtral-8x7b"), half("expert", {{"data", 16}, {"expert", 8}}));
    const Tally reduced = mixtral.state(Collective::all_reduce);
    EXPECT_EQ(reduced.count, 2);
    EXPECT_DOUBLE_EQ(reduced.bytes, experts + dense);
    EXPECT_DOUBLE_EQ(reduced.sent, experts + 2 * 15.0 / 16 * dense);
    const Derived all(model("mixtral-8x7b"), half("expert", {{"data", 8}, {"expert", 8}}));
    EXPECT_DOUBLE_EQ(all.state(Collective::all_reduce).bytes, dense);
}

// Every token meets k experts wherever they are: a dense layer of k times the width, and the router.
TEST(ExpertParallelism, OverAllDataRanksDoesTheWorkOfADenseLayerOfKExperts) {
    const std::map<std::string, std::string> dense{{"layers", "32"},       {"hidden", "4096"}, {"heads", "32"},
                                                   {"kv_heads", "8"},      {"ffn", "2*14336"}, {"sequence", "4096"},
                                                   {"vocabulary", "32000"}};
    const graph::Graph mixtral = graph::build(model("mixtral-8x7b"));
    const graph::Graph llama = graph::build(model("llama", dense));
    const Flop router = 32 * 2.0 * 4'096 * 4'096 * 8 * unit::flop;
    EXPECT_DOUBLE_EQ(graph::count(mixtral).forward_per_sample.in(unit::flop),
                     (graph::count(llama).forward_per_sample + router).in(unit::flop));
    const Derived split(model("mixtral-8x7b"), half("expert", {{"data", 8}, {"expert", 8}}));
    const Derived whole(model("mixtral-8x7b"), half("data", {{"data", 8}}));
    EXPECT_DOUBLE_EQ(executed(split).in(unit::flop), executed(whole).in(unit::flop));
}

// Tensor 2, and inside each expert too; experts over the four data ranks. A rank's half of the sequence has copies of
// 33,554,432 bytes; its partner's come by a gather before the first product and leave by a scatter after the last.
TEST(ExpertTensor, WorksLikeTensorInsideEachExpert) {
    const std::vector<plan::MeshAxis> mesh{{"tensor", 2}, {"data", 4}, {"expert_tensor", 2}, {"expert", 4}};
    const Derived mixtral(model("mixtral-8x7b"), half("megatron-moe", mesh));
    expect(mixtral.segment(kBlock, Phase::forward, Collective::all_to_all), 2, kCopies, 0.75 * kCopies);
    // Attention's gather and scatter of s*h*e = 33,554,432 bytes as well.
    expect(mixtral.segment(kBlock, Phase::forward, Collective::all_gather), 2, kCopies + kCopies / 2,
           0.5 * 1.5 * kCopies);
    expect(mixtral.segment(kBlock, Phase::forward, Collective::reduce_scatter), 2, kCopies + kCopies / 2,
           0.5 * 1.5 * kCopies);
}

// Without it experts spread over tensor ranks first: 4 experts a rank on tensor 2, all tokens by all-to-all.
TEST(Experts, SpreadOverTensorRanksFirst) {
    const Derived mixtral(model("mixtral-8x7b"), half("megatron-moe", {{"tensor", 2}, {"data", 4}, {"expert", 8}}));
    expect(mixtral.segment(kBlock, Phase::forward, Collective::all_to_all), 2, kCopies, 7.0 / 8 * kCopies);
    expect(mixtral.segment(kBlock, Phase::forward, Collective::all_gather), 1, kCopies / 2, kCopies / 4);
}

// A block of keys is (s/p) * 1,024 * e = 2,048 * 1,024 * 2 = 4,194,304 bytes.
TEST(ContextRing, SendsKeysAndValuesRoundAndTheirGradientsBack) {
    const Derived llama(model("llama-3.1-8b"), half("context-ring", {{"context", 4}}));
    const double block = 4'194'304;
    expect(llama.segment(kBlock, Phase::forward, Collective::send), 2 * 3, 6 * block, 6 * block);
    expect(llama.segment(kBlock, Phase::backward, Collective::send), 4 * 3, 12 * block, 12 * block);
    EXPECT_EQ(llama.collectives(kBlock, Phase::forward), 6);
    EXPECT_EQ(llama.collectives(kBlock, Phase::backward), 12);
}

// GPT's attention reads one tensor of q, k and v, whose sequence counts queries as well and cannot be split: it is
// gathered whole, as there is no work on a block to hide behind.
TEST(ContextRing, DoesNotStreamWhatIsNotSplit) {
    const Derived gpt(model("gpt"), half("context-ring", {{"context", 4}}));
    EXPECT_EQ(gpt.segment("layers[2..24]", Phase::forward, Collective::send).count, 0);
    EXPECT_EQ(gpt.segment("layers[2..24]", Phase::forward, Collective::all_gather).count, 1);
}

// K and V whole are 8,192 * 1,024 * 2 = 16,777,216 bytes each.
TEST(ContextAllGather, GathersKeysAndValuesTwiceAndScattersTheirGradients) {
    const Derived llama(model("llama-3.1-8b"), half("context-all-gather", {{"context", 4}}));
    const double keys = 16'777'216;
    expect(llama.segment(kBlock, Phase::forward, Collective::all_gather), 2, 2 * keys, 1.5 * keys);
    expect(llama.segment(kBlock, Phase::backward, Collective::all_gather), 2, 2 * keys, 1.5 * keys);
    expect(llama.segment(kBlock, Phase::backward, Collective::reduce_scatter), 2, 2 * keys, 1.5 * keys);
}

// q and o: (s/p) * 4,096 * 2 = 16,777,216 bytes; k and v a quarter of it.
TEST(ContextUlysses, ExchangesSequenceForHeadsFourTimesEachWay) {
    const Derived llama(model("llama-3.1-8b"), half("context-ulysses", {{"context", 4}}));
    const double all = 2.5 * 16'777'216;
    for (const Phase phase : {Phase::forward, Phase::backward}) {
        expect(llama.segment(kBlock, phase, Collective::all_to_all), 4, all, 0.75 * all);
        EXPECT_EQ(llama.collectives(kBlock, phase), 4);
    }
}

TEST(Context, ReducesGradientsOverDataAndContext) {
    for (const std::string strategy : {"context-ring", "context-all-gather", "context-ulysses"}) {
        const Derived llama(model("llama-3.1-8b"), half(strategy, {{"context", 4}, {"data", 2}}));
        const double gradients = 8'030'261'248.0 * 4;
        expect(llama.state(Collective::all_reduce), 1, gradients, 2 * 7.0 / 8 * gradients);
    }
}

TEST(Context, ContiguousCausalShardsTakeTheirImbalanceInAttention) {
    const std::string rules = R"(
axes: [context]
everywhere: {sequence: context}
rules:
  - {match: {kind: attention}, lay: {query: context}, stream: context, order: )";
    const auto flops = [&](const std::string& order) {
        plan::Plan plan = plan_of(strategy_of(rules + order + "}\n"), {{"context", 4}});
        plan.precision = Precision::fp16;
        return executed(Derived(model("llama-3.1-8b"), plan)).in(unit::flop);
    };
    const double attention = 2.0 * 8'192 * 8'192 * 4'096 / 4;  // of one rank: half the square, two products
    EXPECT_DOUBLE_EQ(flops("contiguous") - flops("zigzag"), (2 - 1.0 / 4 - 1) * attention);
}

TEST(Latents, OfSplitHeadsSumTheGradientOfTheSharedKey) {
    const graph::NetworkSpec spec = model("deepseek-v3");
    const Derived deepseek(spec, half("megatron", {{"tensor", 4}}));
    EXPECT_GT(deepseek.segment("layers[2..58]", Phase::backward, Collective::all_reduce).count, 0);
}

}  // namespace experts_test
}  // namespace dodona::derivation
