// Strategies that a user writes: axes that share ranks, and different layers laid differently on one axis.
#include <gtest/gtest.h>

#include "derived.hpp"
#include "files/plan_file.hpp"
#include "step/predict.hpp"
#include "tests/graph/networks.hpp"

namespace dodona::derivation {
namespace hybrids_test {

using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using std::int64_t;

/// 16 tokens of 8 fp32 features, 512 bytes a sample: a norm, a layer in the middle, a norm.
graph::NetworkSpec sandwich() {
    return network(tensor({{"sequence", 16}, {"feature", 8}}),
                   {layer("before", "layer_norm"), layer("middle", "linear", {{"out", int64_t{8}}, {"bias", false}}),
                    layer("after", "layer_norm")});
}

/// The middle lies on `expert`, the innermost 4 of 8 data ranks; everything else is data-parallel.
plan::Plan folded(const std::string& lay) {
    plan::Plan plan = plan_of(strategy_of("axes: [data, expert]\neverywhere: {batch: data}\nshard: {axes: [data]}\n"
                                          "rules:\n  - {match: {name: middle}, lay: {" +
                                          lay + ": expert}}\n"),
                              {{"data", 8}});
    plan.folds = {{.name = "expert", .of = {"data"}, .size = 4}};
    plan.batch = 8;
    return plan;
}

// A rank's one sample of 512 bytes goes out in shards of features: 3/4 of it leaves.
TEST(AFoldedAxis, ExchangesSamplesForFeaturesByAllToAll) {
    const Derived net(sandwich(), folded("in_feature"));
    expect(net.segment("middle", Phase::forward, Collective::all_to_all), 1, 512, 384);
    expect(net.segment("middle", Phase::backward, Collective::all_to_all), 1, 512, 384);
    EXPECT_EQ(net.collectives("middle", Phase::forward) + net.collectives("middle", Phase::backward), 2);
    // Its result is a partial sum of the four ranks' 4 * 512 bytes, scattered back to a sample each.
    expect(net.segment("after", Phase::forward, Collective::reduce_scatter), 1, 2048, 1536);
    expect(net.segment("after", Phase::backward, Collective::all_gather), 1, 2048, 1536);
}

// Split by results instead: samples are gathered, results exchanged back to a sample each.
TEST(AFoldedAxis, ExchangesFeaturesForSamplesByAllToAll) {
    const Derived net(sandwich(), folded("out_feature"));
    expect(net.segment("middle", Phase::forward, Collective::all_gather), 1, 2048, 1536);
    expect(net.segment("middle", Phase::backward, Collective::reduce_scatter), 1, 2048, 1536);
    expect(net.segment("after", Phase::forward, Collective::all_to_all), 1, 512, 384);
    expect(net.segment("after", Phase::backward, Collective::all_to_all), 1, 512, 384);
}

TEST(AFoldedAxis, AddsNoDevices) {
    const Derived net(sandwich(), folded("in_feature"));
    EXPECT_EQ(net.costed().mesh.devices(), 8);
    EXPECT_EQ(net.costed().sharded->data_ways, 8);
    const graph::Graph graph = graph::build(sandwich());
    const step::Prediction found = step::predict(graph, flat_ring(8), folded("in_feature"));
    EXPECT_EQ(found.plan.devices(), 8);
    EXPECT_TRUE(found.fits) << text(found.why_not.value());
}

// The middle's 64 weights are laid over expert: 16 to a rank, 64 bytes, reduced over the 8/4 ranks that hold the same.
// The norms' 32 are reduced over all 8: 128 bytes.
TEST(AFoldedAxis, LeavesTheRestOfDataToReduceGradients) {
    const Derived net(sandwich(), folded("in_feature"));
    const auto states = net.states();
    ASSERT_EQ(states.size(), 2u);
    for (const step::StateTransfer& transfer : states) {
        EXPECT_EQ(transfer.collective, Collective::all_reduce);
        EXPECT_EQ(transfer.size, net.costed().mesh.ways(transfer.atoms) == 2 ? 64_B : 128_B);
    }
    expect(net.state(Collective::all_reduce), 2, 192, 64 + 1.75 * 128);
}

TEST(AFoldedAxis, MeansTheSameInAPlanFile) {
    const std::string text = R"(plan: folded
strategy:
  strategy: by-hand
  axes: [data, expert]
  everywhere: {batch: data}
  shard: {axes: [data]}
  rules:
    - {match: {name: middle}, lay: {in_feature: expert}}
mesh: {data: 8}
fold: {expert: {of: data, size: 4}}
batch: 8
microbatch: 1
precision: fp32
)";
    const plan::Plan read = files::read_plan(files::parse_document(text, "plan.yaml"), library().strategy_opener(),
                                             library().framework_opener(), library().mechanism_opener());
    const Derived net(sandwich(), read);
    EXPECT_EQ(net.sent_in_layers(), Derived(sandwich(), folded("in_feature")).sent_in_layers());
}

/// Krizhevsky's "one weird trick" (arXiv:1404.5997): convolutions by samples, dense layers by features, on one axis.
constexpr const char* kOneWeirdTrick = R"(
axes: [ranks]
rules:
  - {match: {kind: linear}, lay: {out_feature: ranks}}
  - {match: {}, lay: {batch: ranks}}
)";

/// 8 samples on 4 ranks: images of 4 by 4, 8 filters, so 128 features a sample; then 64 and 16 features.
class OneWeirdTrick : public testing::Test {
protected:
    static plan::Plan plan() {
        plan::Plan plan = plan_of(strategy_of(kOneWeirdTrick), {{"ranks", 4}});
        plan.microbatch = 2;
        plan.batch = 8;
        return plan;
    }
    static graph::NetworkSpec spec() {
        return network(tensor({{"channel", 3}, {"height", 4}, {"width", 4}}),
                       {layer("conv", "conv", {{"filters", int64_t{8}}, {"kernel", int64_t{3}}, {"pad", int64_t{1}}}),
                        layer("flatten", "flatten"), layer("first", "linear", {{"out", int64_t{64}}}),
                        layer("second", "linear", {{"out", int64_t{16}}}), layer("loss", "cross_entropy")});
    }
    Derived net_{spec(), plan()};
};

// 8 * 128 * 4 = 4,096 bytes: every rank reads all samples, and adds up their gradients for the rank that has them.
TEST_F(OneWeirdTrick, GathersSamplesWhereFeaturesBegin) {
    expect(net_.segment("first", Phase::forward, Collective::all_gather), 1, 4096, 3072);
    expect(net_.segment("first", Phase::backward, Collective::reduce_scatter), 1, 4096, 3072);
    EXPECT_EQ(net_.collectives("conv", Phase::forward) + net_.collectives("flatten", Phase::forward), 0);
}

// 8 * 64 * 4 = 2,048 bytes of features between the two dense layers.
TEST_F(OneWeirdTrick, GathersFeaturesBetweenDenseLayers) {
    expect(net_.segment("second", Phase::forward, Collective::all_gather), 1, 2048, 1536);
    expect(net_.segment("second", Phase::backward, Collective::reduce_scatter), 1, 2048, 1536);
}

// 8 * 16/4 * 4 = 128 local bytes of logits: shards of features become shards of samples.
TEST_F(OneWeirdTrick, ExchangesLogitsForSamples) {
    expect(net_.segment("loss", Phase::forward, Collective::all_to_all), 1, 128, 96);
    expect(net_.segment("loss", Phase::backward, Collective::all_to_all), 1, 128, 96);
}

// 3 * 8 * 9 + 8 = 224 parameters of the convolution; those of dense layers are split.
TEST_F(OneWeirdTrick, ReducesGradientsOfConvolutionsOnly) {
    expect(net_.state(Collective::all_reduce), 1, 896, 1344);
    EXPECT_EQ(net_.states().size(), 1u);
}

}  // namespace hybrids_test
}  // namespace dodona::derivation
