// Parameters of a question: each turns what it says and nothing else.
#include "search/knobs.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"

namespace dodona::search {
namespace {

using plan::FrameworkParameter;
using step::test::small_cluster;
using step::test::small_network;
using step::test::strategy;

TEST(Knobs, TurnWhatTheySayAndNothingElse) {
    const cluster::Cluster cluster = small_cluster();
    const Conditions conditions{.cluster = cluster, .framework = {}, .batch = 64, .max_memory = 1_GiB};
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 4}}, .batch = 64, .microbatch = 8};
    plan.precision = Precision::fp32;
    std::vector<std::string> keys;
    for (const Knob& knob : knobs(conditions, small_network(), plan)) {
        keys.push_back(knob.parameter.key);
        const Conditions turned = knob.turned(conditions, 2);
        const cluster::Cluster& is = turned.cluster;
        const bool device = knob.parameter.key == "peak" || knob.parameter.key == "memory_bandwidth" ||
                            knob.parameter.key == "kernel_start" || knob.parameter.key == "memory";
        EXPECT_EQ(is.device == cluster.device, !device) << knob.parameter.key;
        EXPECT_EQ(is.levels[0].bandwidth == cluster.levels[0].bandwidth, knob.parameter.key != "bandwidth.node");
        EXPECT_EQ(is.levels[0].latency == cluster.levels[0].latency, knob.parameter.key != "latency.node");
        EXPECT_EQ(turned.batch, knob.parameter.key == "batch" ? 128 : 64);
        EXPECT_EQ(turned.max_memory, std::optional(knob.parameter.key == "memory" ? 2_GiB : 1_GiB));
        const bool software = knob.parameter.kind == ParameterKind::software;
        EXPECT_EQ(turned.framework == conditions.framework, !software) << knob.parameter.key;
    }
    const std::vector<std::string> machine{"bandwidth.node",   "latency.node", "peak",
                                           "memory_bandwidth", "kernel_start", "memory"};
    ASSERT_GE(keys.size(), machine.size());
    EXPECT_TRUE(std::equal(machine.begin(), machine.end(), keys.begin()));
    EXPECT_EQ(keys.back(), "batch");
}

TEST(Knobs, TurnEveryDeviceOfAMixedJob) {
    Conditions conditions{.cluster = small_cluster(), .framework = {}, .batch = 64, .max_memory = std::nullopt};
    conditions.cluster.mixed = {{.first = 2, .ranks = 2, .device = conditions.cluster.device}};
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 4}}, .batch = 64, .microbatch = 8};
    plan.precision = Precision::fp32;
    for (const Knob& knob : knobs(conditions, small_network(), plan)) {
        const cluster::Cluster is = knob.turned(conditions, 2).cluster;
        EXPECT_EQ(is.mixed[0].device, is.device) << knob.parameter.key;
    }
}

/// Links of one cable are turned together, and only those that the job may cross.
TEST(Knobs, LevelsOfOneCableAreOne) {
    Conditions conditions{.cluster = small_cluster(), .framework = {}, .batch = 64, .max_memory = std::nullopt};
    auto& levels = conditions.cluster.levels;
    levels.push_back({.name = "rack", .size = 4, .bandwidth = levels[0].bandwidth, .latency = 1_us});
    levels.push_back({.name = "row", .size = 4, .bandwidth = levels[0].bandwidth, .latency = 2_us});
    levels.push_back({.name = "hall", .size = 4, .bandwidth = levels[0].bandwidth, .latency = 3_us});
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 128}}, .batch = 128};
    plan.precision = Precision::fp32;
    std::vector<std::string> names;
    for (const Knob& knob : knobs(conditions, small_network(), plan)) {
        if (knob.parameter.key.starts_with("bandwidth.")) {
            names.push_back(knob.parameter.name);
            const auto turned = knob.turned(conditions, 0.5).cluster.levels;
            EXPECT_EQ(turned[1].bandwidth, turned[2].bandwidth);
            EXPECT_EQ(turned[3].bandwidth, levels[3].bandwidth);
        }
    }
    EXPECT_EQ(names, (std::vector<std::string>{"bandwidth (node)", "bandwidth (rack, row)"}));
}

TEST(Knobs, OfASoftwareStayInsideItsRange) {
    Conditions conditions{.cluster = small_cluster(), .framework = {}, .batch = 64, .max_memory = std::nullopt};
    conditions.framework.number(FrameworkParameter::stragglers).value = 0.05;
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 4}}, .batch = 64, .microbatch = 8};
    plan.precision = Precision::fp32;
    for (const Knob& knob : knobs(conditions, small_network(), plan)) {
        if (knob.parameter.key == "framework.stragglers") {
            EXPECT_DOUBLE_EQ(knob.parameter.most, 2) << "a tenth a doubling at most";
            EXPECT_DOUBLE_EQ(knob.parameter.least, 1.0 / 16);
        }
        if (knob.parameter.key == "framework.hidden_states") {
            EXPECT_EQ(knob.parameter.most, 1) << "no more than all can hide";
            EXPECT_EQ(knob.above, 1);
        }
    }
}

}  // namespace
}  // namespace dodona::search
