// Parameters of a question: each turns what it says and nothing else.
#include "search/adjustable_parameters.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "step/predict.hpp"

namespace dodona::search {
namespace adjustable_parameters_test {

using plan::FrameworkParameter;
using step::test::small_cluster;
using step::test::small_network;
using step::test::strategy;

TEST(AdjustableParameters, ChangeOnlyWhatTheyName) {
    const cluster::Cluster cluster = small_cluster();
    const Conditions conditions{.cluster = cluster, .batch = 64, .max_memory = 1_GiB};
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 4}}, .batch = 64, .microbatch = 8};
    plan.precision = Precision::fp32;
    std::vector<std::string> keys;
    for (const AdjustableParameter& parameter : adjustable_parameters(conditions, small_network(), plan)) {
        keys.push_back(parameter.parameter.key);
        const Conditions adjusted = parameter.adjusted(conditions, 2);
        const cluster::Cluster& is = adjusted.cluster;
        const bool device = parameter.parameter.key == "peak" || parameter.parameter.key == "memory_bandwidth" ||
                            parameter.parameter.key == "kernel_start" || parameter.parameter.key == "memory";
        EXPECT_EQ(is.device == cluster.device, !device) << parameter.parameter.key;
        EXPECT_EQ(is.levels[0].bandwidth == cluster.levels[0].bandwidth, parameter.parameter.key != "bandwidth.node");
        EXPECT_EQ(is.levels[0].latency == cluster.levels[0].latency, parameter.parameter.key != "latency.node");
        EXPECT_EQ(adjusted.batch, parameter.parameter.key == "batch" ? 128 : 64);
        EXPECT_EQ(adjusted.max_memory, std::optional(parameter.parameter.key == "memory" ? 2_GiB : 1_GiB));
        const bool software = parameter.parameter.kind == ParameterKind::software;
        EXPECT_EQ(adjusted.adjusted(plan.framework) == plan.framework, !software) << parameter.parameter.key;
    }
    const std::vector<std::string> machine{"bandwidth.node",   "latency.node", "peak",
                                           "memory_bandwidth", "kernel_start", "memory"};
    ASSERT_GE(keys.size(), machine.size());
    EXPECT_TRUE(std::equal(machine.begin(), machine.end(), keys.begin()));
    EXPECT_EQ(keys.back(), "batch");
}

TEST(AdjustableParameters, OfTheBatchAreOneMoreMicrobatchOrOneFewerOnEachDevice) {
    const cluster::Cluster cluster = small_cluster();
    const Conditions conditions{.cluster = cluster, .batch = 64, .max_memory = {}};
    plan::Plan plan{
        .strategy = step::test::pipelined(), .mesh = {{"pipeline", 2}, {"data", 2}}, .batch = 64, .microbatch = 4};
    plan.precision = Precision::fp32;
    const auto batch = [&] { return adjustable_parameters(conditions, small_network(), plan).back(); };
    EXPECT_DOUBLE_EQ(batch().above, 1 + 8 / 64.0);
    EXPECT_DOUBLE_EQ(batch().below, 1 - 8 / 64.0);
    plan.schedule = plan::ScheduleKind::interleaved;
    plan.virtual_stages = 2;
    EXPECT_DOUBLE_EQ(batch().above, 1 + 16 / 64.0) << "as many as there are stages";
}

TEST(AdjustableParameters, TurnEveryDeviceOfAMixedJob) {
    Conditions conditions{.cluster = small_cluster(), .batch = 64, .max_memory = std::nullopt};
    conditions.cluster.mixed = {{.first = 2, .ranks = 2, .device = conditions.cluster.device}};
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 4}}, .batch = 64, .microbatch = 8};
    plan.precision = Precision::fp32;
    for (const AdjustableParameter& parameter : adjustable_parameters(conditions, small_network(), plan)) {
        const cluster::Cluster is = parameter.adjusted(conditions, 2).cluster;
        EXPECT_EQ(is.mixed[0].device, is.device) << parameter.parameter.key;
    }
}

TEST(AdjustableParameters, OfAMachineAreThoseOfAJobOnAllOfIt) {
    const cluster::Cluster cluster = small_cluster();
    plan::Plan plan{
        .strategy = strategy("data", {"data"}), .mesh = {{"data", cluster.devices()}}, .batch = 64, .microbatch = 8};
    plan.precision = Precision::fp32;
    const Conditions conditions{.cluster = cluster, .batch = 64, .max_memory = std::nullopt};
    const std::vector<AdjustableParameter> of_job = adjustable_parameters(conditions, small_network(), plan);
    const std::vector<AdjustableParameter> of_machine = machine_parameters(cluster);
    ASSERT_LE(of_machine.size(), of_job.size());
    for (std::size_t i = 0; i < of_machine.size(); ++i) {
        EXPECT_EQ(of_machine[i].parameter.key, of_job[i].parameter.key);
        const cluster::Cluster is = of_machine[i].adjusted(conditions, 3).cluster;
        const cluster::Cluster as = of_job[i].adjusted(conditions, 3).cluster;
        EXPECT_EQ(is.device, as.device);
        EXPECT_EQ(is.levels[0].bandwidth, as.levels[0].bandwidth);
        EXPECT_EQ(is.levels[0].latency, as.levels[0].latency);
    }
    EXPECT_EQ(of_machine.back().parameter.key, "memory");
}

/// Links of one cable are adjusted together, and only those that the job may cross.
TEST(AdjustableParameters, LevelsOnTheSameCableShareAParameter) {
    Conditions conditions{.cluster = small_cluster(), .batch = 64, .max_memory = std::nullopt};
    auto& levels = conditions.cluster.levels;
    levels.push_back({.name = "rack", .size = 4, .bandwidth = levels[0].bandwidth, .latency = 1_us});
    levels.push_back({.name = "row", .size = 4, .bandwidth = levels[0].bandwidth, .latency = 2_us});
    levels.push_back({.name = "hall", .size = 4, .bandwidth = levels[0].bandwidth, .latency = 3_us});
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 128}}, .batch = 128};
    plan.precision = Precision::fp32;
    std::vector<std::string> names;
    for (const AdjustableParameter& parameter : adjustable_parameters(conditions, small_network(), plan)) {
        if (parameter.parameter.key.starts_with("bandwidth.")) {
            names.push_back(parameter.parameter.name);
            const auto adjusted = parameter.adjusted(conditions, 0.5).cluster.levels;
            EXPECT_EQ(adjusted[1].bandwidth, adjusted[2].bandwidth);
            EXPECT_EQ(adjusted[3].bandwidth, levels[3].bandwidth);
        }
    }
    EXPECT_EQ(names, (std::vector<std::string>{"bandwidth (node)", "bandwidth (rack, row)"}));
}

/// The better direction makes no step slower, the other none faster.
TEST(AdjustableParameters, SayWhichDirectionIsBetter) {
    Conditions conditions{.cluster = small_cluster(), .batch = 64, .max_memory = std::nullopt};
    conditions.cluster.measured_samples = {
        {.model = "test", .forward_backward = 1000_us, .update = 1000_us, .source = "a test"}};
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 4}}, .batch = 64, .microbatch = 8};
    plan.precision = Precision::fp32;
    for (const bool measured : {false, true}) {
        const graph::Graph graph = small_network();
        int seen = 0;
        for (const AdjustableParameter& parameter : adjustable_parameters(conditions, graph, plan)) {
            if (parameter.parameter.kind == ParameterKind::job) {
                continue;
            }
            const auto step = [&](double factor) {
                const Conditions is = parameter.adjusted(conditions, factor);
                plan::Plan asked = plan;
                asked.framework = is.adjusted(plan.framework);
                return step::predict(graph, is.cluster, asked).step.value;
            };
            const bool better = parameter.parameter.more_is_better;
            EXPECT_LE(step(better ? parameter.above : parameter.below), step(1)) << parameter.parameter.key;
            EXPECT_GE(step(better ? parameter.below : parameter.above), step(1)) << parameter.parameter.key;
            seen += parameter.parameter.key == "measured_sample" ? 1 : 0;
        }
        EXPECT_EQ(seen, measured ? 0 : 1);
        conditions.cluster.measured_samples.clear();
    }
}

TEST(AdjustableParameters, OfAFrameworkStayInTheirRange) {
    Conditions conditions{.cluster = small_cluster(), .batch = 64, .max_memory = std::nullopt};
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 4}}, .batch = 64, .microbatch = 8};
    plan.precision = Precision::fp32;
    plan.framework.number(FrameworkParameter::stragglers).value = 0.05;
    for (const AdjustableParameter& parameter : adjustable_parameters(conditions, small_network(), plan)) {
        if (parameter.parameter.key == "framework.stragglers") {
            EXPECT_DOUBLE_EQ(parameter.parameter.most, 2) << "a tenth a doubling at most";
            EXPECT_DOUBLE_EQ(parameter.parameter.least, 1.0 / 16);
        }
        if (parameter.parameter.key == "framework.overlap_states") {
            EXPECT_EQ(parameter.parameter.most, 1) << "no more than all can hide";
            EXPECT_EQ(parameter.above, 1);
        }
    }
}

}  // namespace adjustable_parameters_test
}  // namespace dodona::search
