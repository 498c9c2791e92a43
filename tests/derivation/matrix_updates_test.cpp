// Optimizers that update whole matrices: which weights those are, what ranks do of them, and what they exchange for it.
// On a device with 1 TFLOP/s and endless memory bandwidth, time is arithmetic.
#include "step/matrix_updates.hpp"

#include "derived.hpp"
#include "plan/operands.hpp"
#include "step/predict.hpp"

namespace dodona::derivation {
namespace matrix_updates_test {

using plan::OptimizerKind;
using plan::ShardLevel;
using step::MatrixLoad;
using step::MemoryPart;
using step::TimePart;

/// Matrices inside a layer of Llama-3.1-8B: q and o, k and v, gate, up and down.
constexpr double kOfLayer = 2 * 4096.0 * 4096 + 2 * 1024.0 * 4096 + 3 * 14336.0 * 4096;
constexpr double kLayers = 32;

/// Operations of Newton-Schulz, n <= m.
double newton_schulz(double n, double m) { return 5 * (4 * n * n * m + 2 * n * n * n); }
double layer_flops() {
    return 2 * newton_schulz(4096, 4096) + 2 * newton_schulz(1024, 4096) + 3 * newton_schulz(4096, 14336);
}

plan::Plan with_muon(const std::string& strategy, std::vector<plan::MeshAxis> mesh, ShardLevel shard) {
    plan::Plan plan = plan_of(strategy, std::move(mesh));
    plan.optimizer = OptimizerKind::muon;
    plan.shard = shard;
    plan.batch = plan.axis_size("data");
    return plan;
}

step::StageStates states_of(const std::string& network, const plan::Plan& plan) {
    const Derived derived(model(network), plan);
    return step::stage_states(derived.costed(), plan, step::cut_stages(derived.costed(), {}, {}).front(), 1);
}

double seconds(const Estimate& time) { return time.value.in(unit::second); }

TEST(LongestShare, GivesTheLongestFirstToTheRankWithLeast) {
    EXPECT_EQ(step::longest_share({{1_s, 5}}, 2), 3_s);
    EXPECT_EQ(step::longest_share({{1_s, 7}}, 8), 1_s);
    EXPECT_EQ(step::longest_share({{2_s, 2}, {3_s, 1}}, 2), 4_s) << "3, and twice 2";
    EXPECT_EQ(step::longest_share({{2_s, 4}, {3_s, 1}}, 2), 6_s) << "2 + 2 + 2, and 3 + 2";
    EXPECT_EQ(step::longest_share({{2_s, 400}, {3_s, 1}}, 2), 402_s) << "803 in all";
    EXPECT_EQ(step::longest_share({{1_s, 6}, {2_s, 1}}, 1), 8_s);
}

TEST(HiddenMatrices, AreNeitherEmbeddingsNorHeadsNorVectors) {
    const graph::Graph graph = graph::build(model("llama-3.1-8b"));
    double hidden = 0;
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        for (const graph::Weight& weight : graph.layer(v).nest.weights) {
            hidden +=
                graph.layer(v).is_hidden(weight) ? static_cast<double>(graph.instances(v)) * weight.elements() : 0;
        }
    }
    EXPECT_EQ(hidden, kLayers * kOfLayer);
    for (const graph::Layer& layer : graph::build(model("resnet50")).layers) {
        EXPECT_EQ(layer.head, layer.kind == "linear") << layer.name << ": the classifier alone";
    }
}

TEST(HiddenMatrices, AreOneForEachExpertAndFlatOfConvolutions) {
    const graph::Graph mixtral = graph::build(model("mixtral-8x7b"));
    bool found = false;
    for (const graph::Layer& layer : mixtral.layers) {
        for (const graph::Weight& weight : layer.nest.weights) {
            if (weight.form == graph::MatrixForm::stacked) {
                found = true;
                const plan::Matrices experts = plan::matrices_of(weight);
                EXPECT_EQ(experts.count, 8);
                EXPECT_EQ(experts.shape.elements(), 4096 * 14336);
            }
        }
    }
    EXPECT_TRUE(found);
    const graph::Graph resnet = graph::build(model("resnet50"));
    const plan::Matrices first = plan::matrices_of(resnet.layers[1].nest.weights[0]);
    EXPECT_EQ(first.shape, (plan::MatrixShape{64, 3 * 7 * 7}));
    EXPECT_EQ(first.count, 1);
}

TEST(Muon, KeepsOneMomentumInsideTheNetwork) {
    const graph::Graph graph = graph::build(model("llama-3.1-8b"));
    const step::Prediction p = step::predict(graph, flat_ring(4), with_muon("data", {{"data", 4}}, ShardLevel::none));
    // Two norms a layer have both moments of AdamW.
    EXPECT_EQ(p.memory[MemoryPart::optimizer].in(1_B), kLayers * (4 * kOfLayer + 8 * 2 * 4096));
    const step::Prediction sharded =
        step::predict(graph, flat_ring(4), with_muon("data", {{"data", 4}}, ShardLevel::states));
    EXPECT_DOUBLE_EQ(sharded.memory[MemoryPart::optimizer] / p.memory[MemoryPart::optimizer], 0.25);
}

TEST(Muon, RunsOnEveryRankWhereStatesAreWhole) {
    const step::StageStates states = states_of("llama-3.1-8b", with_muon("data", {{"data", 4}}, ShardLevel::none));
    EXPECT_NEAR(seconds(states.matrices), kLayers * layer_flops() / 1e12, 0.01 * seconds(states.matrices));
    EXPECT_TRUE(states.matrix_gathers.empty());
}

TEST(Muon, IsSharedByRanksThatShareStates) {
    const double all = kLayers * layer_flops() / 1e12;
    const auto on = [](std::int64_t ranks) {
        return seconds(states_of("llama-3.1-8b", with_muon("data", {{"data", ranks}}, ShardLevel::states)).matrices);
    };
    EXPECT_NEAR(on(8), all / 8, 0.01 * all / 8) << "32 layers of each shape";
    // 96 matrices of 14336 x 4096 on 64 ranks: two for the slowest.
    EXPECT_NEAR(on(64), 2 * newton_schulz(4096, 14336) / 1e12, 0.01 * on(64));
    // More ranks than matrices.
    EXPECT_NEAR(on(256), newton_schulz(4096, 14336) / 1e12, 0.01 * on(256));
}

TEST(Muon, GathersMatricesOverTensorRanksThatAllUpdateThem) {
    const plan::Plan plan = with_muon("megatron", {{"tensor", 4}, {"data", 1}}, ShardLevel::none);
    const step::StageStates states = states_of("llama-3.1-8b", plan);
    double gathered = 0;
    for (const step::StateTransfer& gather : states.matrix_gathers) {
        EXPECT_EQ(gather.what, step::StateTransfer::What::matrices);
        EXPECT_EQ(gather.collective, Collective::all_gather);
        gathered += gather.per_step * gather.size.in(1_B);
    }
    EXPECT_EQ(gathered, 4 * kLayers * kOfLayer) << "the fp32 direction of each";
    // A ring of four: three of four parts at 10 GB/s, and the arithmetic of whole matrices.
    const double least = kLayers * layer_flops() / 1e12 + 0.75 * gathered / 10e9;
    EXPECT_GT(seconds(states.matrices), 0.99 * least);
    EXPECT_LT(seconds(states.matrices), 1.01 * least + 7 * kLayers * 3 * 5e-6);
}

TEST(Muon, GathersShardsWithZero3) {
    const plan::Plan plan = with_muon("data", {{"data", 8}}, ShardLevel::parameters);
    const step::StageStates states = states_of("llama-3.1-8b", plan);
    ASSERT_EQ(states.matrix_gathers.size(), 1U);
    EXPECT_EQ(states.matrix_gathers[0].per_step, 3);
    EXPECT_EQ(states.matrix_gathers[0].size.in(1_B), 4 * kLayers * kOfLayer);
    const double exchanged = 3 * 7.0 / 8 * 4 * kLayers * kOfLayer / 10e9;
    EXPECT_NEAR(seconds(states.matrices), kLayers * layer_flops() / 8e12 + exchanged, 0.01 * seconds(states.matrices));
}

TEST(Muon, LengthensTheStepAndAdamDoesNot) {
    const graph::Graph graph = graph::build(model("llama-3.1-8b"));
    plan::Plan plan = with_muon("data", {{"data", 4}}, ShardLevel::states);
    const step::Prediction muon = step::predict(graph, flat_ring(4), plan);
    EXPECT_NEAR(muon.time[TimePart::optimizer].in(unit::second), kLayers * layer_flops() / 4e12,
                0.01 * muon.time[TimePart::optimizer].in(unit::second));
    plan.optimizer = OptimizerKind::adam;
    const step::Prediction adam = step::predict(graph, flat_ring(4), plan);
    EXPECT_LT(adam.time[TimePart::optimizer].in(unit::second), 1e-3);
}

TEST(Soap, UpdatesThePartsOfSplitMatricesAlone) {
    plan::Plan plan = with_muon("megatron", {{"tensor", 4}, {"data", 1}}, ShardLevel::none);
    plan.optimizer = OptimizerKind::soap;
    const step::StageStates states = states_of("llama-3.1-8b", plan);
    EXPECT_TRUE(states.matrix_gathers.empty());
    // Sides up to 10,000. q: 1024 x 4096, o: 4096 x 1024, k, v: 256 x 4096, gate, up: 3584 x 4096, down: 4096 x 3584.
    const auto squares = [](double a, double b) { return a * a + b * b; };
    const double entries = 2 * squares(1024, 4096) + 2 * squares(256, 4096) + 3 * squares(3584, 4096);
    const double own = kLayers * (8 * kOfLayer / 4 + 8 * entries + 8 * 2 * 4096);
    EXPECT_DOUBLE_EQ(states.blocks.optimizer.in(1_B), own);
}

}  // namespace matrix_updates_test
}  // namespace dodona::derivation
