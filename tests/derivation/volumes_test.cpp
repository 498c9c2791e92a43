// What travels in transformers and for weights, per rank and step, worked out by hand for plans everybody knows.
//
// p ranks on the axis, s sequence, b micro-batch, h hidden, e bytes an element. GPT-3: s 2,048, h 12,288, in fp16 an
// activation s*b*h*e is 2,048 * 12,288 * 2 = 50,331,648 bytes.
#include <gtest/gtest.h>

#include "derived.hpp"
#include "step/evaluate.hpp"

namespace dodona::derivation {
namespace volumes_test {

constexpr double kActivation = 50'331'648;
constexpr double kReduced = 88'080'384;   // an all-reduce on 8 ranks sends 2 * 7/8 of it
constexpr double kGathered = 44'040'192;  // an all-gather or a reduce-scatter half as much
const std::string kBlock = "layers[2..96]";

plan::Plan gpt3_plan(const std::string& strategy, std::int64_t data = 1, std::int64_t pipeline = 1) {
    plan::Plan plan = plan_of(strategy, {{"tensor", 8}, {"data", data}, {"pipeline", pipeline}});
    plan.precision = Precision::fp16;
    return plan;
}

// 25,557,032 parameters of 4 bytes: 2 * 3/4 * 102,228,128.
TEST(DataParallelism, ReducesAllGradientsOnceAStepAndNothingElse) {
    const Derived resnet(model("resnet50"), plan_of("data", {{"data", 4}}));
    expect(resnet.state(Collective::all_reduce, 8), 1, 102'228'128, 153'342'192);
    EXPECT_EQ(resnet.states(8).size(), 1u);
    EXPECT_EQ(resnet.sent_in_layers(), 0);
}

// (p-1)/p P (e_g + e_w), once a step: 3/4 * 102,228,128 = 76,671,096 each way.
TEST(ShardedStates, ScatterGradientsAndGatherWeightsOnceAStep) {
    const Derived resnet(model("resnet50"), plan_of("zero1", {{"data", 4}}));
    expect(resnet.state(Collective::reduce_scatter, 8), 1, 102'228'128, 76'671'096);
    expect(resnet.state(Collective::all_gather, 8), 1, 102'228'128, 76'671'096);
    expect_none(resnet.state(Collective::all_reduce, 8));
}

// Half the bytes of each element, to all ranks: 2 * 3/4 * 51,114,064.
TEST(ShardedStates, ReduceWholeGradientsOfAnotherWidthWhereSoftwareDoes) {
    plan::Plan plan = plan_of("zero1", {{"data", 4}});
    plan.framework.number(plan::FrameworkParameter::reduction_width).value = 0.5;
    plan.framework.number(plan::FrameworkParameter::whole_reduction).value = 1;
    const Derived resnet(model("resnet50"), plan);
    expect(resnet.state(Collective::all_reduce, 8), 1, 51'114'064, 76'671'096);
    expect(resnet.state(Collective::all_gather, 8), 1, 102'228'128, 76'671'096);
    expect_none(resnet.state(Collective::reduce_scatter, 8));
}

TEST(ShardedGradients, AreScatteredInEveryMicroBatchAsNoneHoldsThemWhole) {
    const Derived resnet(model("resnet50"), plan_of("zero2", {{"data", 4}}));
    expect(resnet.state(Collective::reduce_scatter, 1), 1, 102'228'128, 76'671'096);
    expect(resnet.state(Collective::reduce_scatter, 8), 8, 8 * 102'228'128.0, 8 * 76'671'096.0);
    expect(resnet.state(Collective::all_gather, 8), 1, 102'228'128, 76'671'096);
}

TEST(ShardedParameters, AreGatheredForwardAndBackwardInEveryMicroBatch) {
    plan::Plan plan = plan_of("zero3", {{"data", 4}});
    const Derived resnet(model("resnet50"), plan);
    expect(resnet.state(Collective::all_gather, 8), 16, 16 * 102'228'128.0, 16 * 76'671'096.0);
    expect(resnet.state(Collective::reduce_scatter, 8), 8, 8 * 102'228'128.0, 8 * 76'671'096.0);
    plan.keep_parameters = true;
    const Derived kept(model("resnet50"), plan);
    expect(kept.state(Collective::all_gather, 8), 8, 8 * 102'228'128.0, 8 * 76'671'096.0);
}

// g = 4 of p = 8: ZeRO 3 over four, then their shards of 4 P/4 = 25,557,032 bytes over p/g = 2: 2 * 1/2 of it.
TEST(HybridSharding, ShardsInAGroupAndReducesShardsBetweenGroups) {
    plan::Plan grouped = plan_of("zero3", {{"data", 8}});
    grouped.shard_group = 4;
    const Derived by_axes(model("resnet50"), plan_of("hybrid-shard", {{"shard", 4}, {"replicate", 2}}));
    const Derived by_group(model("resnet50"), grouped);
    for (const Derived* resnet : {&by_axes, &by_group}) {
        expect(resnet->state(Collective::all_gather), 2, 2 * 102'228'128.0, 2 * 76'671'096.0);
        expect(resnet->state(Collective::reduce_scatter), 1, 102'228'128, 76'671'096);
        expect(resnet->state(Collective::all_reduce), 1, 25'557'032, 25'557'032);
        expect(resnet->state(Collective::all_reduce, 8), 1, 25'557'032, 25'557'032);  // once a step
    }
}

TEST(MegatronTensor, ReducesTwoActivationsForwardAndTwoBackwardInALayer) {
    const Derived gpt3(model("gpt3-175b"), gpt3_plan("megatron"));
    expect(gpt3.segment(kBlock, Phase::forward, Collective::all_reduce), 2, 2 * kActivation, 2 * kReduced);
    expect(gpt3.segment(kBlock, Phase::backward, Collective::all_reduce), 2, 2 * kActivation, 2 * kReduced);
    EXPECT_EQ(gpt3.collectives(kBlock, Phase::forward), 2);
    EXPECT_EQ(gpt3.collectives(kBlock, Phase::backward), 2);
}

// Tensor 24 spreads 96 heads over three nodes of eight, four to a rank; 49,152 / 24 = 2,048 features of the wide layer.
TEST(MegatronTensor, MayHaveADegreeThatIsNoPowerOfTwo) {
    plan::Plan plan = plan_of("megatron", {{"tensor", 24}});
    plan.precision = Precision::fp16;
    const Derived gpt3(model("gpt3-175b"), plan);
    expect(gpt3.segment(kBlock, Phase::forward, Collective::all_reduce), 2, 2 * kActivation,
           4 * 23.0 / 24 * kActivation);
    EXPECT_EQ(plan::tightest_broken(gpt3.costed().sharded->limits), nullptr);
}

// Inputs are replicated over the axis, so the gradients of norms and of row-parallel biases are whole on every rank.
TEST(MegatronTensor, SendsNothingForGradientsOfReplicatedWeights) {
    const Derived gpt3(model("gpt3-175b"), gpt3_plan("megatron"));
    EXPECT_TRUE(gpt3.states().empty());
}

/// All-reduces of whole activations and their gradients in one step, per layer; the embedding's and the head's left
/// out.
double all_reduces_a_layer(plan::RecomputeKind recompute) {
    plan::Plan plan = gpt3_plan("megatron");
    plan.recompute = recompute;
    const Derived gpt3(model("gpt3-175b"), plan);
    double count = 0;
    for (const step::CommunicationLine& line : step::evaluate(gpt3.costed(), plan).communication) {
        count +=
            line.collective == cluster::Collective::all_reduce && line.size.in(1_B) == kActivation ? line.per_step : 0;
    }
    return (count - 2) / 96;
}

TEST(Recomputation, OfEverythingRepeatsTheForwardCollectives) {
    EXPECT_EQ(all_reduces_a_layer(plan::RecomputeKind::none), 4);
    EXPECT_EQ(all_reduces_a_layer(plan::RecomputeKind::full), 6);
}

TEST(Recomputation, OfCoreAttentionOnlyRepeatsNone) {
    EXPECT_EQ(all_reduces_a_layer(plan::RecomputeKind::selective), 4);
}

// An all-reduce becomes a reduce-scatter and an all-gather; what was gathered is not kept but gathered again for dW.
TEST(MegatronSequence, GathersAndScattersInsteadOfReducing) {
    const Derived gpt3(model("gpt3-175b"), gpt3_plan("megatron-sequence"));
    const auto block = [&](Phase phase, Collective collective, Purpose purpose) {
        return gpt3.segment(kBlock, phase, collective, purpose);
    };
    expect(block(Phase::forward, Collective::all_gather, Purpose::conversion), 2, 2 * kActivation, 2 * kGathered);
    expect(block(Phase::forward, Collective::reduce_scatter, Purpose::conversion), 2, 2 * kActivation, 2 * kGathered);
    expect(block(Phase::backward, Collective::all_gather, Purpose::conversion), 2, 2 * kActivation, 2 * kGathered);
    expect(block(Phase::backward, Collective::reduce_scatter, Purpose::conversion), 2, 2 * kActivation, 2 * kGathered);
    expect(block(Phase::backward, Collective::all_gather, Purpose::regather), 2, 2 * kActivation, 2 * kGathered);
    EXPECT_EQ(gpt3.collectives(kBlock, Phase::forward), 4);
    EXPECT_EQ(gpt3.collectives(kBlock, Phase::backward), 6);
}

// Norms see a part of the sequence: 12 layers of a middle stage hold 4 h fp32 gradients each, 12 * 4 * 12,288 * 4 =
// 2,359,296 bytes. Biases of row-parallel layers see a gathered gradient and need nothing.
TEST(MegatronSequence, ReducesTheGradientsOfNormsOverTheTensorAxis) {
    const Derived gpt3(model("gpt3-175b"), gpt3_plan("megatron-sequence", 1, 8));
    expect(gpt3.state(Collective::all_reduce, 1, 3), 1, 2'359'296, 2 * 7.0 / 8 * 2'359'296);
    EXPECT_EQ(gpt3.states(1, 3).size(), 1u);
}

// Sharded over data 4 as well, a rank adds up a quarter of them: 589,824 bytes.
TEST(MegatronSequence, ReducesShardsOfNormGradientsWhereStatesAreSharded) {
    plan::Plan plan = gpt3_plan("megatron-sequence", 4, 8);
    plan.shard = plan::ShardLevel::states;
    const Derived gpt3(model("gpt3-175b"), plan);
    expect(gpt3.state(Collective::all_reduce, 1, 3), 1, 589'824, 1.75 * 589'824);
    // 2,718,922,752 fp32 gradients over data: 3/4 of 10,875,691,008 bytes.
    EXPECT_DOUBLE_EQ(gpt3.state(Collective::reduce_scatter, 1, 3).sent, 8'156'768'256);
}

// A middle stage of 8 on tensor 8 holds 12 layers of (12 h^2 + 7 h)/8 + 6 h = 226,576,896 parameters: 2,718,922,752,
// in fp16 5,437,845,504 bytes, and data 16 sends 2 * 15/16 of it. (VOLUMES rounds: 175e9/(8*8) gives 10.25e9.)
// Split and replicated weights lie differently, so they are two all-reduces over the same ranks.
TEST(DataParallelism, AroundTensorAndPipelineReducesWhatARankHolds) {
    plan::Plan plan = gpt3_plan("megatron", 16, 8);
    plan.gradient_precision = Precision::fp16;
    const Derived gpt3(model("gpt3-175b"), plan);
    expect(gpt3.state(Collective::all_reduce, 1, 3), 2, 5'437'845'504, 10'195'960'320);
    EXPECT_NEAR(gpt3.state(Collective::all_reduce, 1, 3).sent, 2 * 15.0 / 16 * 175e9 / 64 * 2, 0.01 * 10.25e9);
}

// The first layer that reads the embedding pays for its partial sum; nothing is due backward.
TEST(AVocabularyParallelEmbedding, ReducesOneActivationForward) {
    const Derived plain(model("gpt3-175b"), gpt3_plan("megatron"));
    expect(plain.segment("positions", Phase::forward, Collective::all_reduce), 1, kActivation, kReduced);
    EXPECT_EQ(plain.collectives("embedding", Phase::forward) + plain.collectives("dropout", Phase::forward), 0);
    EXPECT_EQ(plain.collectives("embedding", Phase::backward) + plain.collectives("positions", Phase::backward), 0);
}

// Onto shards of the sequence it is a reduce-scatter; its mirror gathers the gradient for the whole vocabulary's rows.
TEST(AVocabularyParallelEmbedding, ScattersOntoASplitSequence) {
    const Derived split(model("gpt3-175b"), gpt3_plan("megatron-sequence"));
    expect(split.segment("positions", Phase::forward, Collective::reduce_scatter), 1, kActivation, kGathered);
    expect(split.segment("positions", Phase::backward, Collective::all_gather), 1, kActivation, kGathered);
    EXPECT_EQ(split.collectives("positions", Phase::forward) + split.collectives("positions", Phase::backward), 2);
}

// Maximum, sum and target: 2,048 fp32 numbers each, 8,192 bytes, whatever the precision.
TEST(AVocabularyParallelHead, ReducesThreeNumbersATokenForwardAndOneActivationBackward) {
    const Derived gpt3(model("gpt3-175b"), gpt3_plan("megatron"));
    expect(gpt3.segment("loss", Phase::forward, Collective::all_reduce, Purpose::statistic), 3, 3 * 8192.0,
           3 * 1.75 * 8192);
    EXPECT_EQ(gpt3.collectives("loss", Phase::forward), 3);
    EXPECT_EQ(gpt3.collectives("loss", Phase::backward), 0);
    EXPECT_EQ(gpt3.collectives("head", Phase::forward), 0);
    expect(gpt3.segment("head", Phase::backward, Collective::all_reduce), 1, kActivation, kReduced);
}

TEST(AVocabularyParallelHead, ScattersItsGradientOntoASplitSequence) {
    const Derived gpt3(model("gpt3-175b"), gpt3_plan("megatron-sequence"));
    expect(gpt3.segment("head", Phase::backward, Collective::reduce_scatter), 1, kActivation, kGathered);
    expect_none(gpt3.segment("head", Phase::backward, Collective::all_reduce));
}

// s*b*h*e, divided by tensor where the sequence is split.
TEST(APipelineBoundary, SendsTheActivationAsItsProducerLeavesIt) {
    const Derived plain(model("gpt3-175b"), gpt3_plan("megatron", 1, 8));
    const Derived split(model("gpt3-175b"), gpt3_plan("megatron-sequence", 1, 8));
    const auto arriving = [](const Derived& derived, std::size_t stage) {
        return stage_pass(derived.costed(), derived.plan(), derived.stages()[stage], stage).boundary.arriving;
    };
    EXPECT_EQ(arriving(plain, 3).whole, 50'331'648_B);
    EXPECT_EQ(arriving(split, 3).sent, 6'291'456_B);
    EXPECT_EQ(arriving(split, 3).gathered, 0_B);
    EXPECT_EQ(arriving(plain, 0).sent, 0_B);
    // Megatron without a split sequence sends an eighth and gathers on arrival.
    EXPECT_EQ(arriving(plain, 3).sent, 6'291'456_B);
    EXPECT_EQ(arriving(plain, 3).gathered, 50'331'648_B);
}

// V h / 8 = 51,200 * 12,288 / 8 fp32 gradients, 314,572,800 bytes, between two ranks: each sends 2 * 1/2 of it.
TEST(ATiedEmbedding, IsReducedBetweenTheFirstAndTheLastStage) {
    const Derived gpt3(model("gpt3-175b"), gpt3_plan("megatron", 1, 8));
    for (const std::size_t stage : {0u, 3u, 7u}) {
        const auto tied = step::tied_transfers(gpt3.costed(), gpt3.plan(), gpt3.stages(), stage);
        ASSERT_EQ(tied.size(), stage == 3 ? 0u : 1u);
        for (const step::StateTransfer& transfer : tied) {
            EXPECT_EQ(transfer.collective, Collective::all_reduce);
            EXPECT_EQ(transfer.size, 314'572'800_B);
            EXPECT_EQ(transfer.time.sent, 314'572'800_B);
        }
    }
}

TEST(ATiedEmbedding, OnOneStageIsCountedOnce) {
    const Derived gpt3(model("gpt3-175b"), gpt3_plan("megatron"));
    const step::StageStates states = step::stage_states(gpt3.costed(), gpt3.plan(), gpt3.stages()[0], 1);
    // 96 layers of 226,576,896, the vocabulary's 51,200 h / 8, positions 2,048 h and the last norm's 2 h.
    EXPECT_EQ(states.elements, 96 * 226'576'896.0 + 78'643'200 + 25'165'824 + 24'576);
    EXPECT_TRUE(step::tied_transfers(gpt3.costed(), gpt3.plan(), gpt3.stages(), 0).empty());
}

/// Llama 3.1 8B: s 8,192, h 4,096, 8 key/value heads of 128 under 32 query heads.
const std::string kLlamaBlock = "layers[2..32]";
constexpr double kLlamaActivation = 8192.0 * 4096 * 2;

plan::Plan llama_plan(plan::Strategy strategy, std::vector<plan::MeshAxis> mesh) {
    plan::Plan plan = plan_of(std::move(strategy), std::move(mesh));
    plan.precision = Precision::fp16;
    return plan;
}

// q, k and v read one gathered tensor, gate and up another: 2 gathers, not 5; their gradients add up before 2 scatters.
TEST(Consumers, OfOneTensorInOneLayoutShareItsConversion) {
    const Derived llama(model("llama"), llama_plan(library().strategy("megatron-sequence"), {{"tensor", 8}}));
    expect(llama.segment(kLlamaBlock, Phase::forward, Collective::all_gather), 2, 2 * kLlamaActivation,
           2 * 7.0 / 8 * kLlamaActivation);
    EXPECT_EQ(llama.segment(kLlamaBlock, Phase::backward, Collective::reduce_scatter).count, 2);
    EXPECT_EQ(llama.segment(kLlamaBlock, Phase::backward, Collective::all_gather, Purpose::regather).count, 2);
    const Derived plain(model("llama"), llama_plan(library().strategy("megatron"), {{"tensor", 8}}));
    EXPECT_EQ(plain.segment(kLlamaBlock, Phase::backward, Collective::all_reduce).count, 2);
}

// 8 key/value heads on 16 ranks: each is held twice. k and v of 32 layers are 2 * 4,096 * 128 fp32 gradients each,
// 4,194,304 bytes a layer; between two copies a rank sends 2 * 1/2 of that.
TEST(KeyValueHeads, FewerThanRanksAreReplicatedAndTheirGradientSummedAmongCopies) {
    const Derived llama(model("llama"), llama_plan(library().strategy("megatron"), {{"tensor", 16}}));
    ASSERT_EQ(llama.states().size(), 1u);
    EXPECT_EQ(llama.states()[0].collective, Collective::all_reduce);
    EXPECT_EQ(llama.states()[0].size, 134'217'728_B);
    EXPECT_EQ(llama.states()[0].time.sent, 134'217'728_B);
    const Derived eight(model("llama"), llama_plan(library().strategy("megatron"), {{"tensor", 8}}));
    EXPECT_TRUE(eight.states().empty());
}

constexpr const char* kContext = R"(
axes: [context, data]
everywhere: {batch: data}
shard: {axes: [data, context]}
rules:
  - {match: {kind: attention}, lay: {query: context}, regather: true}
  - {match: {}, lay: {sequence: context}}
)";

// K and V of 8,192 * 1,024 fp16 numbers, 16,777,216 bytes each: 2 * 3/4 * 16,777,216 = 25,165,824.
TEST(ContextParallelism, ThatGathersKeysAndValuesIsTwoRulesOfAUser) {
    const Derived llama(model("llama"), llama_plan(strategy_of(kContext), {{"context", 4}, {"data", 2}}));
    const double both = 2 * 16'777'216;
    expect(llama.segment(kLlamaBlock, Phase::forward, Collective::all_gather), 2, both, 25'165'824);
    expect(llama.segment(kLlamaBlock, Phase::backward, Collective::all_gather, Purpose::regather), 2, both, 25'165'824);
    expect(llama.segment(kLlamaBlock, Phase::backward, Collective::reduce_scatter), 2, both, 25'165'824);
    EXPECT_EQ(llama.collectives(kLlamaBlock, Phase::forward), 2);
    EXPECT_EQ(llama.collectives(kLlamaBlock, Phase::backward), 4);
}

// 8,030,261,248 parameters are copied over the axis: one all-reduce of fp32 gradients over data x context.
TEST(ContextParallelism, ReducesGradientsOverDataAndContext) {
    const Derived llama(model("llama"), llama_plan(strategy_of(kContext), {{"context", 4}, {"data", 2}}));
    expect(llama.state(Collective::all_reduce), 1, 4 * 8'030'261'248.0, 1.75 * 4 * 8'030'261'248.0);
    EXPECT_EQ(llama.states().size(), 1u);
}

constexpr const char* kUlysses = R"(
axes: [context]
rules:
  - {match: {kind: attention}, lay: {head: context}}
  - {match: {}, lay: {sequence: context}}
)";

// Heads instead of queries: local buffers of (s/4) h_kv e = 4,194,304 bytes for k and v, (s/4) h e = 16,777,216 for q
// and o; 41,943,040 together, of which 3/4 leave the rank.
TEST(ContextParallelism, ByAllToAllIsOneWordLess) {
    const Derived llama(model("llama"), llama_plan(strategy_of(kUlysses), {{"context", 4}}));
    expect(llama.segment(kLlamaBlock, Phase::forward, Collective::all_to_all), 4, 41'943'040, 31'457'280);
    expect(llama.segment(kLlamaBlock, Phase::backward, Collective::all_to_all), 4, 41'943'040, 31'457'280);
    EXPECT_EQ(llama.collectives(kLlamaBlock, Phase::forward), 4);
    EXPECT_EQ(llama.collectives(kLlamaBlock, Phase::backward), 4);
}

// q, k and v kept as they came, in shards of the sequence, are exchanged once more: 3/4 of 25,165,824 bytes.
TEST(ContextParallelism, ByAllToAllMayExchangeAgainInsteadOfKeeping) {
    std::string again = kUlysses;
    again.replace(again.find("head: context}"), 14, "head: context}, regather: true");
    const Derived llama(model("llama"), llama_plan(strategy_of(again), {{"context", 4}}));
    expect(llama.segment(kLlamaBlock, Phase::backward, Collective::all_to_all, Purpose::regather), 3, 25'165'824,
           18'874'368);
}

}  // namespace volumes_test
}  // namespace dodona::derivation
