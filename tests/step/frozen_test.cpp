// Frozen weights: read in both passes, and nothing else. Three layers of 8 x 8 weights, the second of them trained.
#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/predict.hpp"
#include "step/state_sharding.hpp"

namespace dodona::step {
namespace frozen_test {

using test::layer;
using test::network;
using test::small_cluster;
using test::tensor;

graph::Entry square(const std::string& name, bool frozen) {
    graph::Entry entry = layer(name, "linear", {{"out", std::int64_t{8}}, {"bias", false}});
    entry.frozen = frozen;
    return entry;
}

graph::Graph chain(bool first, bool second, bool third) {
    return graph::build(
        network(tensor({{"feature", 8}}), {square("a", first), square("b", second), square("c", third)}));
}

plan::Plan plan_on(std::int64_t devices) {
    plan::Plan plan;
    plan.strategy = test::strategy("data", {"data"});
    plan.mesh = {{"data", devices}};
    plan.batch = 32;
    plan.microbatch = 32 / devices;
    plan.precision = Precision::fp32;
    return plan;
}

StageStates states_of(const graph::Graph& graph, const plan::Plan& plan) {
    static const cluster::Cluster cluster = small_cluster();
    const CostedGraph costed = cost_graph(graph, cluster, plan, {});
    return stage_states(costed, plan, cut_stages(costed, {}, {}).front(), 1);
}

TEST(Frozen, LayersBeforeTheFirstTrainedOneHaveNoBackwardPass) {
    const graph::Graph graph = chain(true, false, true);
    const auto& at = [&](const char* name) -> const graph::Layer& {
        return graph.layer(graph::test::find(graph, name));
    };
    EXPECT_FALSE(at("b").input_gradient);
    EXPECT_TRUE(at("c").input_gradient);
    // Forward 3 x 128; backward dW of b and dX of c.
    const graph::Counts counts = graph::count(graph);
    EXPECT_EQ(counts.parameters, 192);
    EXPECT_EQ(counts.trained, 64);
    EXPECT_EQ(counts.forward_per_sample.in(unit::flop), 3 * 128);
    EXPECT_EQ(counts.training_per_sample.in(unit::flop), (1 + 3 + 2) * 128);
    EXPECT_EQ(graph::count(chain(false, false, false)).training_per_sample.in(unit::flop), 9 * 128);
}

// Of three equal layers a third is exchanged beside nothing; where only the second is trained, all of its gradient.
TEST(Frozen, WeightsAreNoPartOfTheGradientsThatComeLast) {
    EXPECT_DOUBLE_EQ(states_of(chain(false, false, false), plan_on(2)).alone.reduced, 1.0 / 3);
    const AloneShares second = states_of(chain(true, false, true), plan_on(2)).alone;
    EXPECT_EQ(second.reduced, 1);
    EXPECT_DOUBLE_EQ(second.gathered, 1.0 / 3);
}

// 5 parts of six are in the first layer: 40 x 8 and 8 x 8 weights. Gathers for backward begin with the other one.
TEST(Exchange, OfALargeFirstLayerHasLittleToHideBehind) {
    const graph::Graph graph =
        graph::build(network(tensor({{"feature", 40}}), {square("wide", false), square("narrow", false)}));
    const AloneShares alone = states_of(graph, plan_on(2)).alone;
    EXPECT_DOUBLE_EQ(alone.reduced, 5.0 / 6);
    EXPECT_DOUBLE_EQ(alone.gathered, 5.0 / 6);
    EXPECT_DOUBLE_EQ(alone.gathered_again, 1.0 / 2);
}

TEST(Frozen, NetworksUpdateNothing) {
    const Prediction p = predict(chain(true, true, true), small_cluster(), plan_on(2));
    EXPECT_EQ(p.time[TimePart::optimizer], Seconds{});
    EXPECT_EQ(p.time[TimePart::backward], Seconds{});
    EXPECT_EQ(p.time[TimePart::gradients], Seconds{});
    EXPECT_GT(p.step.value, Seconds{});
    EXPECT_EQ(p.step.value, p.time.total());
}

TEST(Frozen, WeightsRunNoKernelsForTheirGradient) {
    const Prediction frozen = predict(chain(true, false, true), small_cluster(), plan_on(1));
    const Prediction trained = predict(chain(false, false, false), small_cluster(), plan_on(1));
    EXPECT_EQ(frozen.time[TimePart::forward], trained.time[TimePart::forward]);
    EXPECT_LT(frozen.time[TimePart::backward], 0.5 * trained.time[TimePart::backward]);
    // Of dW a, dX b, dW b, dX c, dW c two products are left, all of one size; three forward.
    EXPECT_NEAR(frozen.hfu * frozen.step.value / (trained.hfu * trained.step.value), 5.0 / 8.0, 1e-12);
}

TEST(Frozen, WhatOnlyTheirGradientReadsIsNotKept) {
    const double one = 32 * 8 * 4;
    const auto kept = [](bool a, bool b, bool c) {
        return predict(chain(a, b, c), small_cluster(), plan_on(1)).memory[MemoryPart::activations].in(1_B);
    };
    EXPECT_EQ(kept(false, false, false), 3 * one);
    EXPECT_EQ(kept(true, false, true), one) << "the input of b";
    EXPECT_EQ(kept(true, true, true), 0);
}

TEST(Frozen, WeightsHaveNoGradientNoStateAndNoMasterCopy) {
    plan::Plan plan = plan_on(4);
    const StageStates fp32 = states_of(chain(true, false, true), plan);
    EXPECT_EQ(fp32.blocks.weights, 192 * 4 * 1_B);
    EXPECT_EQ(fp32.blocks.gradients, 64 * 4 * 1_B);
    EXPECT_EQ(fp32.blocks.optimizer, 64 * 8 * 1_B);
    EXPECT_EQ(fp32.updated, 64 * 4 * 1_B);
    EXPECT_EQ(fp32.elements, 192);
    EXPECT_EQ(fp32.trained, 64);
    ASSERT_EQ(fp32.transfers.size(), 1U);
    EXPECT_EQ(fp32.transfers[0].size, 64 * 4 * 1_B);
}

TEST(Frozen, ZeroThreeStillShardsAndGathersThem) {
    plan::Plan plan = plan_on(4);
    plan.shard = plan::ShardLevel::parameters;
    const StageStates states = states_of(chain(true, false, true), plan);
    EXPECT_EQ(states.blocks.weights, 192 / 4 * 4 * 1_B);
    Bytes gathered;
    Bytes reduced;
    for (const StateTransfer& transfer : states.transfers) {
        (transfer.what == StateTransfer::What::parameters ? gathered : reduced) += transfer.size;
    }
    EXPECT_EQ(gathered, (64 + 2 * 128) * 4 * 1_B) << "forward and backward; the first layer goes forward only";
    EXPECT_EQ(reduced, 64 * 4 * 1_B);
    plan.shard = plan::ShardLevel::states;
    for (const StateTransfer& transfer : states_of(chain(true, false, true), plan).transfers) {
        EXPECT_EQ(transfer.size, 64 * 4 * 1_B) << "weights that do not change need not be gathered";
    }
}

TEST(Frozen, ABlockFreezesAllInsideIt) {
    graph::Entry body = test::block("body", 2, {square("a", false), layer("relu", "relu")});
    body.frozen = true;
    const graph::Graph graph = graph::build(network(tensor({{"feature", 8}}), {body, square("b", false)}));
    EXPECT_EQ(graph::count(graph).trained, 64);
}

TEST(Frozen, FaultsAreTold) {
    graph::Entry relu = layer("relu", "relu");
    relu.frozen = true;
    EXPECT_EQ(graph::test::faults(network(tensor({{"feature", 8}}), {relu})), "relu.frozen: relu has no weights\n");
    graph::Entry owner = layer("table", "embedding", {{"vocabulary", std::int64_t{9}}, {"features", std::int64_t{8}}});
    owner.frozen = true;
    const graph::Entry head =
        layer("head", "linear", {{"out", std::int64_t{9}}, {"bias", false}, {"tied", std::string("table")}});
    EXPECT_EQ(graph::test::faults(network(tensor({{"sequence", 4}}, graph::Element::index), {owner, head})),
              "head.tied: table is frozen, this layer is not\n");
}

}  // namespace frozen_test
}  // namespace dodona::step
