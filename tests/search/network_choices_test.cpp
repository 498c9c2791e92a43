// What layers cost each for itself, and what they make each other pay, adds up to what the whole plan costs.
#include "search/network_choices.hpp"

#include <random>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "search/layer_rules.hpp"
#include "step/evaluate.hpp"
#include "step/validate.hpp"

namespace dodona::search {
namespace network_choices_test {

using graph::test::block;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;

/// No start-up times, so that reductions put together take as long as each for itself.
cluster::Cluster linear_cluster() {
    cluster::Cluster cluster = step::test::small_cluster();
    cluster.levels = {{.name = "node", .size = 8, .bandwidth = 25_GB_per_s}};
    cluster.device.launch = {};
    return cluster;
}

Setting setting(plan::RecomputeKind recompute = plan::RecomputeKind::none) {
    Setting setting;
    setting.base.mesh = {{"inner", 2}, {"outer", 4}};
    setting.base.batch = 64;
    setting.base.precision = Precision::fp32;
    setting.base.optimizer = plan::OptimizerKind::momentum;
    setting.base.recompute = recompute;
    setting.base.strategy.axes = {"inner", "outer"};
    setting.base.strategy.shard_axes = {"inner", "outer"};
    setting.axes = {"inner", "outer"};
    setting.passes = 2;
    return setting;
}

graph::Graph residual() {
    return graph::build(network(
        tensor({{"channel", 16}, {"height", 32}, {"width", 32}}),
        {layer("stem", "conv", {{"filters", std::int64_t{32}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}}),
         layer("relu", "relu"),
         block("body", 3,
               {layer("conv1", "conv",
                      {{"filters", std::int64_t{32}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}}),
                layer("inside", "relu"),
                layer("conv2", "conv",
                      {{"filters", std::int64_t{32}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}}),
                layer("add", "add", {}, {"conv2", "input"}), layer("out", "relu")}),
         layer("pool", "max_pool", {{"kernel", std::int64_t{2}}, {"stride", std::int64_t{2}}}),
         layer("flatten", "flatten"), layer("fc", "linear", {{"out", std::int64_t{64}}}),
         layer("loss", "cross_entropy")}));
}

/// A long skip over a down- and an up-sampling step.
graph::Graph skipping() {
    const auto conv = [](const std::string& name, std::int64_t filters) {
        return layer(name, "conv", {{"filters", filters}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}});
    };
    return graph::build(network(
        tensor({{"channel", 8}, {"height", 32}, {"width", 32}}),
        {conv("left", 16), layer("down", "max_pool", {{"kernel", std::int64_t{2}}, {"stride", std::int64_t{2}}}),
         conv("bottom", 32),
         layer("up", "conv_transpose",
               {{"filters", std::int64_t{16}}, {"kernel", std::int64_t{2}}, {"stride", std::int64_t{2}}}),
         layer("join", "concat", {}, {"left", "up"}), conv("right", 16)}));
}

/// A token network whose head is its embedding.
graph::Graph tied() {
    return graph::build(network(
        tensor({{"sequence", 64}}, graph::Element::index),
        {layer("embedding", "embedding", {{"vocabulary", std::int64_t{512}}, {"features", std::int64_t{64}}}),
         block("layers", 2,
               {layer("norm", "layer_norm"), layer("up", "linear", {{"out", std::int64_t{128}}}), layer("gelu", "gelu"),
                layer("down", "linear", {{"out", std::int64_t{64}}}), layer("add", "add", {}, {"down", "input"})}),
         layer("head", "linear", {{"out", std::int64_t{512}}, {"tied", std::string("embedding")}}),
         layer("loss", "cross_entropy")}));
}

/// What the sums say of one assignment; nothing where it may not be.
std::optional<Costs> summed(const NetworkChoices& network, const std::vector<int>& picked) {
    Choices only = network.choices();
    for (std::size_t v = 0; v < picked.size(); ++v) {
        only.variables[v] = {only.variables[v][static_cast<std::size_t>(picked[v])]};
    }
    const Frontier frontier = assign_choices(only, {});
    return frontier.assigned.empty() ? std::nullopt : std::optional(frontier.assigned.front().costs);
}

std::vector<int> any_choices(const NetworkChoices& network, std::mt19937& chance) {
    std::vector<int> picked;
    for (const auto& variable : network.choices().variables) {
        picked.push_back(static_cast<int>(chance() % variable.size()));
    }
    return picked;
}

/// The whole plan.
step::Prediction evaluated(const graph::Graph& graph, const cluster::Cluster& cluster, const NetworkChoices& network,
                           const Setting& setting, const std::vector<int>& picked) {
    plan::Plan plan = setting.base;
    plan.strategy = strategy_of(graph, setting, network.layers(), picked);
    plan.microbatch = setting.samples() / step::data_ranks(plan);
    const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
    return step::evaluate(costed, plan, step::Detail::totals);
}

struct Compared {
    int plans = 0;
    int forbidden = 0;
};

Compared compare(const graph::Graph& graph, const Setting& setting, std::uint32_t seed) {
    const cluster::Cluster cluster = linear_cluster();
    const NetworkChoices network(graph, cluster, setting);
    std::mt19937 chance(seed);
    Compared compared;
    for (int i = 0; i < 300; ++i) {
        const std::vector<int> picked = any_choices(network, chance);
        const std::optional<Costs> sums = summed(network, picked);
        if (!sums) {
            ++compared.forbidden;
            continue;
        }
        const step::Prediction whole = evaluated(graph, cluster, network, setting, picked);
        EXPECT_NEAR(sums->time().in(1_us), whole.step.value.in(1_us), 1e-6 * whole.step.value.in(1_us));
        const step::MemoryParts& memory = whole.memory;
        const Bytes kept = memory[step::MemoryPart::weights] + memory[step::MemoryPart::gradients] +
                           memory[step::MemoryPart::optimizer] + memory[step::MemoryPart::activations] +
                           memory[step::MemoryPart::embedding_and_head];
        EXPECT_NEAR(sums->memory.in(1_MiB), kept.in(1_MiB), 1e-6 * kept.in(1_MiB));
        ++compared.plans;
    }
    return compared;
}

TEST(NetworkChoices, AddUpToTheWholePlanWithResidualJoins) { EXPECT_EQ(compare(residual(), setting(), 1).plans, 300); }

TEST(NetworkChoices, AddUpToTheWholePlanWithLongSkips) { EXPECT_EQ(compare(skipping(), setting(), 2).plans, 300); }

TEST(NetworkChoices, AddUpWhereTheFirstLayersAreFrozen) {
    graph::NetworkSpec spec =
        network(tensor({{"channel", 16}, {"height", 32}, {"width", 32}}),
                {block("body", 3,
                       {layer("conv", "conv",
                              {{"filters", std::int64_t{32}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}}),
                        layer("relu", "relu")}),
                 layer("flatten", "flatten"), layer("fc", "linear", {{"out", std::int64_t{64}}})});
    spec.entries.front().frozen = true;
    EXPECT_EQ(compare(graph::build(spec), setting(), 7).plans, 300);
}

TEST(NetworkChoices, AddUpWhereReductionsHideBehindBackward) {
    Setting hiding = setting();
    hiding.base.overlap.gradients = true;
    EXPECT_EQ(compare(residual(), hiding, 5).plans, 300);
}

TEST(NetworkChoices, AreABoundWhereGathersHideAsWell) {
    // Two sums know reductions and gathers that both hide or both stick out.
    Setting hiding = setting();
    hiding.base.overlap = {.gradients = true, .parameters = true};
    hiding.base.shard = plan::ShardLevel::states;
    const graph::Graph graph = residual();
    const cluster::Cluster cluster = linear_cluster();
    const NetworkChoices network(graph, cluster, hiding);
    std::mt19937 chance(6);
    int exact = 0;
    for (int i = 0; i < 300; ++i) {
        const std::vector<int> picked = any_choices(network, chance);
        const std::optional<Costs> sums = summed(network, picked);
        ASSERT_TRUE(sums.has_value());
        const Seconds whole = evaluated(graph, cluster, network, hiding, picked).step.value;
        EXPECT_LE(sums->time().in(1_us), (1 + 1e-6) * whole.in(1_us));
        EXPECT_GE(sums->time().in(1_us), 0.7 * whole.in(1_us));
        exact += whole.in(1_us) <= (1 + 1e-6) * sums->time().in(1_us) ? 1 : 0;
    }
    EXPECT_GT(exact, 30);
}

TEST(NetworkChoices, AddUpWhereBlocksAreRecomputed) {
    EXPECT_EQ(compare(residual(), setting(plan::RecomputeKind::full), 3).plans, 300);
}

TEST(NetworkChoices, PassesWaitForStragglersByTheLogarithmOfTheDevices) {
    Setting slow = setting();
    EXPECT_DOUBLE_EQ(step_weights(slow, 8).passes, 2);
    slow.base.framework.number(plan::FrameworkParameter::stragglers).value = 0.1;
    EXPECT_DOUBLE_EQ(step_weights(slow, 8).passes, 2 * 1.3);
}

TEST(NetworkChoices, ATiedWeightLiesAlikeInBothOfItsLayers) {
    const Compared compared = compare(tied(), setting(), 4);
    EXPECT_GT(compared.forbidden, 100);
    EXPECT_GT(compared.plans, 10);
}

TEST(NetworkChoices, CopiesOfABlockAreOneLayer) {
    EXPECT_EQ(pattern_of("layers[2..96]/part[1]/norm"), "layers[*]/part[*]/norm");
    const graph::Graph graph = residual();
    const cluster::Cluster cluster = linear_cluster();
    const Setting here = setting();
    const NetworkChoices network(graph, cluster, here);
    int copies = 0;
    for (const ChoosingLayer& choosing : network.layers()) {
        copies += choosing.copies.size() == 2 ? 1 : 0;
    }
    EXPECT_EQ(copies, 5) << "the five layers of the block";
}

TEST(LayerChoices, AreEveryLayingOfLoopsThatCanBeSplit) {
    // A layer of batch and feature on two axes: (2 + none)^2 ways.
    const graph::Graph graph = graph::build(network(tensor({{"feature", 64}}), {layer("relu", "relu")}));
    EXPECT_EQ(lays_of(graph.layers.back(), setting()).size(), 9U);
    Setting few = setting();
    few.passes = 32;  // two samples a pass: the batch takes the inner axis only
    EXPECT_EQ(lays_of(graph.layers.back(), few).size(), 6U);
}

}  // namespace network_choices_test
}  // namespace dodona::search
