// Strategies made layer by layer against every assignment of small networks, and against strategies with names.
#include "search/layer_search.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "search/layer_rules.hpp"
#include "search/layer_settings.hpp"
#include "step/evaluate.hpp"
#include "step/validate.hpp"

namespace dodona::search {
namespace layer_search_test {

using graph::test::layer;
using graph::test::network;
using graph::test::tensor;

/// Start-up times of nothing, so that sums are exact; slow links, so that laying matters.
cluster::Cluster linear_cluster() {
    cluster::Cluster cluster = step::test::small_cluster();
    cluster.levels = {{.name = "node", .size = 8, .bandwidth = 2_GB_per_s}};
    cluster.device.launch = {};
    return cluster;
}

/// Few weights and large images, then many weights and small features.
graph::Graph two_halves() {
    return graph::build(network(
        tensor({{"channel", 8}, {"height", 32}, {"width", 32}}),
        {layer("conv", "conv", {{"filters", std::int64_t{16}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}}),
         layer("pool", "max_pool", {{"kernel", std::int64_t{8}}, {"stride", std::int64_t{8}}}),
         layer("flatten", "flatten"), layer("fc", "linear", {{"out", std::int64_t{2048}}})}));
}

/// As little as has both: every assignment of it can be evaluated.
graph::Graph tiny() {
    return graph::build(network(
        tensor({{"channel", 4}, {"height", 8}, {"width", 8}}),
        {layer("conv", "conv", {{"filters", std::int64_t{8}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}}),
         layer("flatten", "flatten"), layer("fc", "linear", {{"out", std::int64_t{2048}}})}));
}

/// The first with a convolution more: its input would have to be gathered if channels were split.
graph::Graph deeper() {
    const auto conv = [](const std::string& name) {
        return layer(name, "conv",
                     {{"filters", std::int64_t{16}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}});
    };
    return graph::build(network(tensor({{"channel", 8}, {"height", 32}, {"width", 32}}),
                                {conv("conv1"), layer("relu1", "relu"), conv("conv2"), layer("relu2", "relu"),
                                 layer("pool", "max_pool", {{"kernel", std::int64_t{8}}, {"stride", std::int64_t{8}}}),
                                 layer("flatten", "flatten"), layer("fc", "linear", {{"out", std::int64_t{2048}}})}));
}

Space space_of(std::int64_t devices) {
    return {.devices = devices,
            .batch = 64,
            .precision = Precision::fp32,
            .strategies = {step::test::strategy("data", {"data"})},
            .optimizer = plan::OptimizerKind::momentum,
            .top = 3};
}

TEST(LayerSearch, IsNotSlowerThanAnyAssignmentOfASmallNetwork) {
    const graph::Graph graph = tiny();
    const cluster::Cluster cluster = linear_cluster();
    const Space space = space_of(4);
    const Answer answer = search_layers(graph, cluster, space);
    ASSERT_FALSE(answer.plans.empty());
    const Seconds found = answer.plans.front().step.value;
    Seconds least = 1'000_s;
    int plans = 0;
    for (const Setting& setting : layer_settings(space, {})) {
        const NetworkChoices network(graph, cluster, setting);
        const auto& variables = network.choices().variables;
        std::vector<int> picked(variables.size(), 0);
        for (std::size_t v = 0; v < picked.size();) {
            plan::Plan plan = setting.base;
            plan.strategy = strategy_of(graph, setting, network.layers(), picked);
            plan.microbatch = setting.samples() / step::data_ranks(plan);
            const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
            const step::Prediction whole = step::evaluate(costed, plan, step::Detail::totals);
            if (whole.fits) {
                least = min(least, whole.step.value);
                ++plans;
            }
            for (v = 0; v < picked.size() && ++picked[v] == static_cast<int>(variables[v].size()); ++v) {
                picked[v] = 0;
            }
        }
    }
    EXPECT_GT(plans, 2'000);
    EXPECT_LE(found, (1 + 1e-9) * least);
}

TEST(LayerSearch, LaysConvolutionsByDataAndAWideClassifierByFeatures) {
    const Answer answer = search_layers(deeper(), linear_cluster(), space_of(8));
    ASSERT_FALSE(answer.plans.empty());
    const plan::Strategy& made = answer.plans.front().plan.strategy;
    ASSERT_EQ(made.name, kByLayers);
    const auto dimensions_of = [&](const std::string& kind) {
        std::vector<std::string> dimensions;
        for (const plan::Rule& rule : made.rules) {
            for (const plan::Lay& lay : rule.lay) {
                if (std::find(rule.match.kinds.begin(), rule.match.kinds.end(), kind) != rule.match.kinds.end()) {
                    dimensions.push_back(lay.dimension);
                }
            }
        }
        return dimensions;
    };
    EXPECT_EQ(dimensions_of("conv"), std::vector<std::string>{"batch"});
    const std::vector<std::string> classifier = dimensions_of("linear");
    ASSERT_EQ(classifier.size(), 1U);
    EXPECT_TRUE(classifier.front() == "out_feature" || classifier.front() == "in_feature") << classifier.front();
}

TEST(LayerSearch, KeepsTheStrategiesThatHaveNames) {
    const graph::Graph graph = two_halves();
    const Space space = space_of(8);
    const Answer named = search(graph, linear_cluster(), space);
    const Answer made = search_layers(graph, linear_cluster(), space);
    ASSERT_EQ(made.plans.size(), 2U);
    EXPECT_LE(made.plans.front().step.value, named.plans.front().step.value);
    EXPECT_EQ(made.plans.back().plan.strategy.name, "data");
    ASSERT_TRUE(made.layers.has_value());
    EXPECT_EQ(made.layers->cut, 0);
    EXPECT_FALSE(named.layers.has_value());
}

TEST(LayerSearch, StaysWithinMemory) {
    const graph::Graph graph = two_halves();
    Space space = space_of(8);
    const Answer free = search_layers(graph, linear_cluster(), space);
    const Bytes used = free.plans.front().memory.total();
    space.max_memory = 0.7 * used;
    const Answer tight = search_layers(graph, linear_cluster(), space);
    ASSERT_FALSE(tight.plans.empty());
    EXPECT_EQ(tight.plans.front().plan.strategy.name, kByLayers);
    for (const step::Prediction& plan : tight.plans) {
        EXPECT_LE(plan.memory.total(), *space.max_memory);
    }
    EXPECT_GE(tight.plans.front().step.value, free.plans.front().step.value);
}

TEST(LayerSearch, StopsWhenAskedTo) {
    int all = 0;
    search_layers(two_halves(), linear_cluster(), space_of(8), [&](std::int64_t, std::int64_t) { return ++all > 0; });
    ASSERT_GT(all, 2);
    int asked = 0;
    const Answer answer = search_layers(two_halves(), linear_cluster(), space_of(8),
                                        [&](std::int64_t, std::int64_t) { return ++asked < all; });
    EXPECT_FALSE(answer.counts.optimal);
    EXPECT_FALSE(answer.plans.empty());
}

TEST(LayerRules, LeaveOutLayersThatFollow) {
    const graph::Graph graph = two_halves();
    Setting setting;
    setting.base.mesh = {{"inner", 2}, {"outer", 4}};
    setting.base.batch = 64;
    setting.base.strategy.axes = {"inner", "outer"};
    setting.axes = {"inner", "outer"};
    const std::vector<plan::Lay> by_data{{"batch", {"inner", "outer"}, {}}};
    const std::vector<plan::Lay> by_feature{{"out_feature", {"inner", "outer"}, {}}};
    std::vector<ChoosingLayer> layers;
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        if (!graph.layer(v).nest.inputs.empty()) {
            layers.push_back({graph.layer(v).name, {v}, {by_data, by_feature}});
        }
    }
    const plan::Strategy terse = terse_strategy_of(graph, setting, layers, {0, 0, 0, 1});
    ASSERT_EQ(terse.rules.size(), 3U) << "the input by name, conv and linear by kind";
    EXPECT_EQ(terse.rules[0].match.names, std::vector<std::string>{"x"});
    EXPECT_EQ(terse.rules[1].match.kinds, std::vector<std::string>{"conv"});
    EXPECT_EQ(terse.rules[2].match.kinds, std::vector<std::string>{"linear"});
    plan::Plan plan = setting.base;
    plan.strategy = terse;
    join_axes(plan);
    EXPECT_EQ(plan.mesh, (std::vector<plan::MeshAxis>{{"inner", 8}})) << "always laid together: one axis";
    EXPECT_EQ(plan.strategy.rules[1].lay[0].axes, std::vector<std::string>{"inner"});
}

}  // namespace layer_search_test
}  // namespace dodona::search
