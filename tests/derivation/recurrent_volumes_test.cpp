// What travels in recurrent networks, between embedding tables and in a loss over a whole batch, per rank and micro-batch, worked out by hand.
#include <algorithm>

#include <gtest/gtest.h>

#include "derived.hpp"
#include "step/evaluate.hpp"
#include "tests/graph/networks.hpp"

namespace dodona::derivation {
namespace recurrent_volumes_test {

using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using std::int64_t;

/// Two samples on each of `data` ranks.
plan::Plan samples(plan::Plan plan, int64_t data) {
    plan.microbatch = 2;
    plan.batch = 2 * data;
    return plan;
}

graph::NetworkSpec words(int64_t layers) {
    return network(tensor({{"sequence", 5}, {"feature", 8}}),
                   {layer("in", "linear", {{"out", int64_t{8}}, {"bias", false}}),
                    layer("lstm", "lstm", {{"hidden", int64_t{16}}, {"layers", layers}, {"bias", false}}),
                    layer("head", "linear", {{"out", int64_t{4}}, {"bias", false}})});
}

plan::Plan hidden_split() {
    return samples(plan_of(strategy_of("axes: [ranks]\nrules:\n  - {match: {kind: lstm}, lay: {hidden: ranks}}\n"),
                           {{"ranks", 4}}),
                   1);
}

/// Look-ups of 3 in 8 tables of 4 numbers, then what reads them beside a dense vector.
graph::NetworkSpec ads() {
    graph::NetworkSpec spec =
        network(tensor({{"feature", 13}}),
                {layer("bottom", "linear", {{"out", int64_t{4}}, {"bias", false}}, {"x"}),
                 layer("bag", "embedding_bag", {{"rows", int64_t{100}}, {"features", int64_t{4}}}, {"ids"}),
                 layer("cross", "interaction", {}, {"bottom", "bag"}),
                 layer("top", "linear", {{"out", int64_t{1}}, {"bias", false}})});
    spec.inputs.push_back({"ids", tensor({{"table", 8}, {"lookup", 3}}, graph::Element::index), {}});
    return spec;
}

/// Everything over the data ranks, the tables as `lay` says; two samples a rank.
plan::Plan tables(const std::string& lay) {
    return samples(plan_of(strategy_of("axes: [ranks]\nrules:\n"
                                       "  - {match: {kind: embedding_bag}, lay: {" +
                                       lay +
                                       ": ranks}}\n"
                                       "  - {match: {}, lay: {batch: ranks}}\n"),
                           {{"ranks", 4}}),
                   4);
}

// 5 steps of 2 layers: h of two samples, 2 * 16 * 4 = 128 bytes, is gathered ten times, and dh scattered as often.
// x is whole; its gradient is a partial sum over the ranks' gates: 2 * 5 * 8 * 4 = 320 bytes.
TEST(AnLstm, WithItsHiddenUnitsSplitGathersTheStateInEveryStepAndLayer) {
    const Derived net(words(2), hidden_split());
    expect(net.segment("lstm", Phase::forward, Collective::all_gather), 10, 1280, 960);
    expect(net.segment("lstm", Phase::backward, Collective::reduce_scatter), 10, 1280, 960);
    expect(net.segment("lstm", Phase::backward, Collective::all_reduce), 1, 320, 480);
    expect(net.segment("head", Phase::forward, Collective::all_gather), 1, 640, 480);
    EXPECT_TRUE(net.states().empty()) << "its weights are split";
}

// Ten gathers take ten times as long as one, and the list of what is communicated counts ten.
TEST(AnLstm, PaysForEveryStep) {
    const Derived net(words(2), hidden_split());
    const auto& units = net.costed().segments;
    const auto found = std::find_if(units[1].transfers.begin(), units[1].transfers.end(), [](const auto& transfer) {
        return transfer.what.transfer.collective == Collective::all_gather;
    });
    ASSERT_NE(found, units[1].transfers.end());
    EXPECT_EQ(found->count, 10);
    EXPECT_EQ(found->size, Bytes::of_base(128));
    EXPECT_DOUBLE_EQ(units[1].forward.layer.value.in(1_s), 10 * found->time.time.value.in(1_s));
    double steps = 0;
    for (const step::CommunicationLine& line : step::evaluate(net.costed(), net.plan()).communication) {
        steps += line.size == found->size && line.collective == Collective::all_gather ? line.per_step : 0;
    }
    EXPECT_EQ(steps, 10) << "of one micro-batch";
}

TEST(AnLstm, OverDataRanksReducesItsGradientsOnly) {
    const Derived net(words(2), samples(plan_of("data", {{"data", 4}}), 4));
    EXPECT_EQ(net.sent_in_layers(), 0);
    const double parameters = 64 + 64 * (8 + 16) + 64 * (16 + 16) + 64;
    expect(net.state(Collective::all_reduce), 1, 4 * parameters, 1.5 * 4 * parameters);
}

// A rank holds T/p = 2 tables for all B = 8 samples: B * (T/p) * d * e = 8*2*4*4 = 256 bytes, of which it sends 3/4.
TEST(Tables, OfOneRankEachGoToTheSamplesAllToAll) {
    const Derived net(ads(), tables("table"));
    expect(net.segment("cross", Phase::forward, Collective::all_to_all), 1, 256, 192);
    expect(net.segment("cross", Phase::backward, Collective::all_to_all), 1, 256, 192);
    EXPECT_EQ(net.sent_in_layers(), 2 * 192);
    EXPECT_EQ(net.collectives("bag", Phase::forward), 0);
    // The dense layers as data: 13*4 + (4 + 36) weights.
    expect(net.state(Collective::all_reduce), 1, 4 * 92, 1.5 * 4 * 92);
}

// Rows split: partial sums of all samples' 8 tables, 8*8*4*4 = 1024 bytes, scattered to the samples; backward gathered.
TEST(Tables, SplitByRowsArePartialSums) {
    const Derived net(ads(), tables("row"));
    expect(net.segment("cross", Phase::forward, Collective::reduce_scatter), 1, 1024, 768);
    expect(net.segment("cross", Phase::backward, Collective::all_gather), 1, 1024, 768);
}

// A column of every table on each rank: as many bytes as whole tables.
TEST(Tables, SplitByColumnsGoToTheSamplesAllToAll) {
    const Derived net(ads(), tables("feature"));
    expect(net.segment("cross", Phase::forward, Collective::all_to_all), 1, 256, 192);
    EXPECT_EQ(net.sent_in_layers(), 2 * 192);
}

/// A linear tower of 4 features for each input, and the loss of all pairs.
graph::NetworkSpec pairs() {
    graph::NetworkSpec spec =
        network(tensor({{"feature", 13}}), {layer("left", "linear", {{"out", int64_t{4}}, {"bias", false}}, {"x"}),
                                            layer("right", "linear", {{"out", int64_t{4}}, {"bias", false}}, {"y"}),
                                            layer("loss", "contrastive_loss", {}, {"left", "right"})});
    spec.inputs.push_back({"y", tensor({{"feature", 7}}), {}});
    return spec;
}

// Two samples on each of 4 ranks: 8 * 4 * 4 = 128 bytes of each tower are gathered, and their gradients scattered.
TEST(PairsOfABatch, AreComparedWithThoseOfAllDataRanks) {
    const Derived net(pairs(), samples(plan_of("data", {{"data", 4}}), 4));
    expect(net.segment("loss", Phase::forward, Collective::all_gather), 2, 256, 192);
    expect(net.segment("loss", Phase::backward, Collective::reduce_scatter), 2, 256, 192);
    const Derived alone(pairs(), samples(plan_of("data", {{"data", 1}}), 1));
    EXPECT_EQ(alone.sent_in_layers(), 0);
}

// Two rows of images and two of texts, each against all eight.
TEST(PairsOfABatch, KeepProbabilitiesOfOwnRowsAgainstAll) {
    const plan::Plan plan = samples(plan_of("data", {{"data", 4}}), 4);
    const plan::ShardedGraph sharded =
        plan::shard(graph::build(pairs()), plan::Mesh(plan, {}), plan.strategy, plan.microbatch);
    EXPECT_EQ(sharded.layers.back().saved.back().element, graph::Element::single);
    EXPECT_EQ(sharded.layers.back().saved.back().elements, (2 + 2) * 8);
}

}  // namespace recurrent_volumes_test
}  // namespace dodona::derivation
