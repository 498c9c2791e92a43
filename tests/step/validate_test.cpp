// What a plan must be to be predicted: each fault with its words, and the plan next to it that has none.
#include "step/validate.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scenes.hpp"

namespace dodona::step {
namespace validate_test {

using test::block;
using test::layer;
using test::network;
using test::pipelined;
using test::small_cluster;
using test::strategy;
using test::tensor;

/// Four blocks and, if asked, a linear layer before and behind them.
graph::Graph four_blocks(bool head, bool stem = true) {
    const auto linear = [](const char* name) { return layer(name, "linear", {{"out", std::int64_t{16}}}); };
    std::vector<graph::Entry> entries{block("body", 4, {linear("product"), layer("relu", "relu")})};
    if (stem) {
        entries.insert(entries.begin(), linear("stem"));
    }
    if (head) {
        entries.push_back(linear("head"));
    }
    return graph::build(network(tensor({{"feature", 16}}), std::move(entries)));
}

plan::Plan data_plan() {
    plan::Plan plan;
    plan.strategy = strategy("data", {"data"});
    plan.mesh = {{"data", 4}};
    plan.batch = 32;
    plan.microbatch = 2;
    plan.precision = Precision::fp32;
    return plan;
}

plan::Plan pipeline_plan(std::int64_t stages) {
    plan::Plan plan = data_plan();
    plan.strategy = pipelined();
    plan.mesh = {{"pipeline", stages}};
    return plan;
}

/// Messages and help, a line each.
std::string faults(const plan::Plan& plan, const graph::Graph& graph = four_blocks(true),
                   const cluster::Cluster& cluster = small_cluster()) {
    const Diagnostics found = plan_faults(graph, cluster, plan, {});
    std::string text;
    for (const Diagnostic& fault : found.all()) {
        text += fault.message + (fault.help.empty() ? "" : " (" + fault.help + ")") + "\n";
    }
    return text;
}

TEST(Faults, OfPlansThatCanBePredictedAreNone) {
    EXPECT_EQ(faults(data_plan()), "");
    for (const std::int64_t stages : {1, 2, 6}) {
        EXPECT_EQ(faults(pipeline_plan(stages)), "") << stages;
    }
}

TEST(Faults, OfAMesh) {
    plan::Plan plan = data_plan();
    plan.mesh = {{"data", 2}, {"data", 2}};
    EXPECT_EQ(faults(plan), "axis \"data\" is in the mesh twice\n");
    plan.mesh = {{"data", 0}};
    EXPECT_EQ(faults(plan), "axis \"data\" has size 0 (sizes are 1 or more)\n");
    plan.mesh = {{"data", 1}};
    EXPECT_EQ(faults(plan), "");
    plan.mesh = {{"data", 8}};
    EXPECT_EQ(faults(plan), "") << "as many as the machine has";
    plan.mesh = {{"data", 16}};
    EXPECT_EQ(faults(plan), "the mesh needs 16 devices, small has 8 (choose a smaller mesh or a larger machine)\n");
    plan.mesh = {{"date", 4}};
    EXPECT_EQ(faults(plan),
              "strategy \"data\" does not use an axis \"date\"; did you mean \"data\"? (its axes: data)\n");
}

TEST(Faults, OfABatch) {
    plan::Plan plan = data_plan();
    const auto of = [&](std::int64_t batch, std::int64_t microbatch) {
        plan.batch = batch;
        plan.microbatch = microbatch;
        return faults(plan);
    };
    EXPECT_EQ(of(8, 2), "");
    EXPECT_EQ(of(4, 1), "");
    EXPECT_EQ(of(0, 1), "batch 0 and micro-batch 1 must both be 1 or more\n");
    EXPECT_EQ(of(4, 0), "batch 4 and micro-batch 0 must both be 1 or more\n");
    EXPECT_EQ(of(30, 2),
              "batch 30 does not divide by 4 data ranks x micro-batch 2 (nearest batches that do: 24 and 32)\n");
    EXPECT_EQ(of(7, 2), "batch 7 does not divide by 4 data ranks x micro-batch 2 (the smallest batch that does: 8)\n");
}

TEST(Faults, OfStagesThatAreGiven) {
    const graph::Graph with_head = four_blocks(true);
    const graph::Graph without_head = four_blocks(false);
    const auto of = [](const graph::Graph& graph, const std::vector<std::int64_t>& stages) {
        plan::Plan plan = pipeline_plan(3);
        plan.stages = stages;
        return faults(plan, graph);
    };
    EXPECT_EQ(of(with_head, {1, 2, 1}), "");
    EXPECT_EQ(of(with_head, {0, 4, 0}), "") << "the stem and the head";
    EXPECT_EQ(of(with_head, {2, 0, 2}),
              "stage 2 holds nothing (only a first or last stage that has layers beside the blocks may do without a "
              "block)\n");
    EXPECT_EQ(of(without_head, {0, 2, 2}), "");
    EXPECT_EQ(of(without_head, {2, 2, 0}),
              "stage 3 holds nothing (only a first or last stage that has layers beside the blocks may do without a "
              "block)\n");
    EXPECT_EQ(of(four_blocks(true, false), {0, 2, 2}),
              "stage 1 holds nothing (only a first or last stage that has layers beside the blocks may do without a "
              "block)\n");
    EXPECT_EQ(of(with_head, {2, 2}), "2 stage sizes are given for 3 stages x 1 virtual stages\n");
    EXPECT_EQ(of(with_head, {2, 2, 1}), "the stages hold 5 blocks, the network has 4 (sizes must add up to 4)\n");
}

TEST(Faults, OfVirtualStages) {
    plan::Plan plan = pipeline_plan(2);
    const auto of = [&](const char* schedule, std::int64_t virtual_stages) {
        plan.schedule = plan::schedule_from(schedule).value();
        plan.virtual_stages = virtual_stages;
        return faults(plan);
    };
    EXPECT_EQ(of("1f1b", 1), "");
    EXPECT_EQ(of("1f1b", 2),
              "2 virtual stages per pipeline rank need the schedule interleaved-1f1b, not 1f1b (add --schedule "
              "interleaved-1f1b)\n");
    EXPECT_EQ(of("interleaved-1f1b", 1), "");
    EXPECT_EQ(of("interleaved-1f1b", 3), "");
    EXPECT_EQ(of("zb-v", 2), "");
    EXPECT_EQ(of("zb-v", 1), "zb-v has 2 virtual stages per pipeline rank, not 1 (set virtual_stages to 2)\n");
    EXPECT_EQ(of("zb-v", 3), "zb-v has 2 virtual stages per pipeline rank, not 3 (set virtual_stages to 2)\n");
    plan.mesh = {{"pipeline", 1}};
    EXPECT_EQ(of("zb-v", 1), "") << "one stage has no order";
    EXPECT_EQ(of("interleaved-1f1b", 2),
              "virtual stages need a pipeline of at least two stages (set virtual_stages to 1)\n");
}

TEST(Faults, OfRecomputation) {
    plan::Plan plan = data_plan();
    plan.recompute = plan::RecomputeKind::every;
    EXPECT_EQ(faults(plan), "");
    plan.recompute_every = 0;
    EXPECT_EQ(faults(plan), "a checkpoint every 0 blocks means nothing (give 1 or more)\n");
    plan.recompute = plan::RecomputeKind::full;
    EXPECT_EQ(faults(plan), "") << "which asks for no number";
    plan.recompute = plan::RecomputeKind::layers;
    EXPECT_EQ(faults(plan), "no layers are named to be recomputed (name some, or recompute none)\n");
}

TEST(Faults, OfWhatStrategyAndMachineLack) {
    plan::Plan plan = data_plan();
    plan.shard = plan::ShardLevel::states;
    EXPECT_EQ(faults(plan), "");
    plan.strategy.shard_axes.clear();
    EXPECT_EQ(faults(plan).rfind("strategy \"data\" has no axes to shard ", 0), 0U) << faults(plan);
    plan = data_plan();
    plan.offload.optimizer = true;
    EXPECT_EQ(faults(plan).rfind("small has no host memory to offload optimizer to", 0), 0U) << faults(plan);
    cluster::Cluster hosted = small_cluster();
    hosted.host = cluster::Host{.memory = 1_GiB, .bandwidth = 1_GB_per_s, .source = "test"};
    EXPECT_EQ(faults(plan, four_blocks(true), hosted), "");
}

TEST(Faults, OfBothDirectionsOverUnlikeDevices) {
    cluster::Cluster mixed = small_cluster();
    cluster::Device other = mixed.device;
    other.name = "other";
    mixed.mixed = {{.first = 2, .ranks = 2, .device = other}};
    plan::Plan plan = pipeline_plan(4);
    EXPECT_EQ(faults(plan, four_blocks(true), mixed), "") << "one direction";
    plan.schedule = plan::schedule_from("dualpipe").value();
    EXPECT_EQ(faults(plan), "") << "devices of one kind";
    EXPECT_EQ(faults(plan, four_blocks(true), mixed),
              "dualpipe has every part of the network on two stages, whose devices differ here (use devices of one "
              "kind, or another schedule)\n");
}

}  // namespace validate_test
}  // namespace dodona::step
