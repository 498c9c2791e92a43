// Memory of software that shards weights, gradients and vocabularies over devices.
#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/predict.hpp"
#include "tests/worlds/memory_rules.hpp"

namespace dodona::step {
namespace {

using plan::MemoryProfile;
using plan::ShardLevel;
using test::layer;

constexpr double kElements = 2 * 800 + 2 * 64;  // of a table and a head of 100 words, and of two blocks

/// Four tokens of eight features: a table, two products, a head and a loss.
graph::Graph words() {
    return graph::build(test::network(
        test::tensor({{"sequence", 4}}, graph::Element::index),
        {layer("embedding", "embedding", {{"vocabulary", std::int64_t{100}}, {"features", std::int64_t{8}}}),
         test::block("body", 2, {layer("product", "linear", {{"out", std::int64_t{8}}, {"bias", false}})}),
         layer("head", "linear", {{"out", std::int64_t{100}}, {"bias", false}}), layer("loss", "cross_entropy")}));
}

plan::Plan sharded(ShardLevel level, std::int64_t devices = 2) {
    plan::Plan plan;
    plan.strategy = test::strategy("data", {"data"});
    plan.mesh = {{"data", devices}};
    plan.batch = devices;
    plan.precision = Precision::bf16;
    plan.shard = level;
    return plan;
}

MemoryParts memory(plan::Plan plan, const MemoryProfile& profile) {
    cluster::Cluster cluster = test::small_cluster();
    cluster.device.matrix[Precision::bf16] = 100_TFLOP_per_s;
    plan.memory = profile;
    return predict(words(), cluster, plan, {}).memory;
}

double part(const plan::Plan& plan, const MemoryProfile& profile, MemoryPart part) {
    return memory(plan, profile)[part].in(1_B);
}

TEST(FreedGradients, OfShardsComeAsActivationsGo) {
    const auto less = [](const plan::Plan& plan) {
        return (memory(plan, {}).total() - memory(plan, {.rules = {memory_rules::kFreedGradients}}).total()).in(1_B);
    };
    EXPECT_EQ(less(sharded(ShardLevel::none)), 0) << "buckets of a reduction stay";
    EXPECT_EQ(less(sharded(ShardLevel::states)), 0);
    // As much as four tokens keep when backward begins, three inputs of 8 features in 2 bytes, indices and logits:
    // less than the 864 gradients of 4 bytes of a device.
    EXPECT_EQ(less(sharded(ShardLevel::gradients)), 4 * (3 * 8 * 2 + 8 + 100 * 4));
    EXPECT_EQ(less(sharded(ShardLevel::parameters)), less(sharded(ShardLevel::gradients)));
    plan::Plan accumulating = sharded(ShardLevel::parameters);
    accumulating.batch *= 2;
    EXPECT_EQ(less(accumulating), 0) << "those of the first pass stay";
}

// Weights of 2 bytes and masters of 4 are masters alone.
TEST(CastGathered, LeavesTheMasterCopyOfShardedWeights) {
    const auto less = [](const plan::Plan& plan) {
        return (memory(plan, {}).total() - memory(plan, {.rules = {memory_rules::kCastGathered}}).total()).in(1_B);
    };
    EXPECT_EQ(less(sharded(ShardLevel::parameters)), kElements / 2 * 2);
    EXPECT_EQ(less(sharded(ShardLevel::gradients)), 0) << "whole weights are in the precision of products";
    plan::Plan narrow = sharded(ShardLevel::parameters);
    narrow.optimizer = plan::OptimizerKind::adam_bf16;
    EXPECT_EQ(less(narrow), 0) << "there is no master copy";
}

// Of 100 words each of two devices has 50, with 4 tokens.
TEST(ReleasedLogits, LeaveAnFp32CopyOfASplitVocabulary) {
    plan::Plan plan = sharded(ShardLevel::none);
    plan.strategy = test::strategy("tensor", {"tensor"});
    plan.strategy.rules = {{.match = {.names = {"head"}}, .lay = {{"out_feature", {"tensor"}, {}}}},
                           {.match = {.kinds = {"cross_entropy"}}, .lay = {{"class", {"tensor"}, {}}}}};
    plan.strategy.everywhere = {};
    plan.strategy.shard_axes = {};
    plan.mesh = {{"tensor", 2}};
    plan.batch = 1;
    const MemoryProfile released{.rules = memory_rules::kReleasedLoss};
    EXPECT_EQ(part(plan, released, MemoryPart::workspace), 4 * 50 * 12);
    EXPECT_EQ(part(sharded(ShardLevel::none), released, MemoryPart::workspace), 4 * 100 * 8);
    // Gathered, all 100 words are on both devices, and kept in fp32.
    const plan::MemoryRule gather{.action = plan::MemoryAction::gather, .tensors = plan::MemoryTensors::logits};
    MemoryProfile gathered = released;
    gathered.prepend({gather});
    EXPECT_EQ(part(plan, gathered, MemoryPart::workspace), 4 * 100 * 8);
    EXPECT_EQ(
        part(plan, gathered, MemoryPart::embedding_and_head) - part(plan, released, MemoryPart::embedding_and_head),
        4 * 50 * 4);
}

// Four heads of two features share two keys and values: of 4 tokens in 2 bytes, 4 features become 8, of either.
TEST(RepeatedKeys, AreKeptForEveryHead) {
    const auto projection = [](const char* name, std::int64_t out) {
        return layer(name, "linear", {{"out", out}, {"bias", false}}, {"first"});
    };
    const auto kept = [&](std::int64_t keys, const MemoryProfile& profile) {
        const graph::Graph graph = graph::build(test::network(
            test::tensor({{"sequence", 4}, {"feature", 8}}),
            {layer("first", "linear", {{"out", std::int64_t{8}}, {"bias", false}}), projection("q", 8),
             projection("k", 2 * keys), projection("v", 2 * keys),
             layer("attention", "attention", {{"heads", std::int64_t{4}}, {"kv_heads", keys}}, {"q", "k", "v"})}));
        plan::Plan plan = sharded(ShardLevel::none, 1);
        plan.memory = profile;
        cluster::Cluster cluster = test::small_cluster();
        cluster.device.matrix[Precision::bf16] = 100_TFLOP_per_s;
        return predict(graph, cluster, plan, {}).memory.total().in(1_B);
    };
    EXPECT_EQ(kept(2, {.rules = {memory_rules::kRepeatedKeys}}) - kept(2, {}), 2 * 4 * (8 - 4) * 2);
    EXPECT_EQ(kept(4, {.rules = {memory_rules::kRepeatedKeys}}), kept(4, {})) << "every head has its own";
}

// 4 tokens x 100 logits x 2 bytes of each of 8 micro-batches; the first stage has none.
TEST(PipelineResults, AreKeptToTheEndOfTheStep) {
    plan::Plan plan = sharded(ShardLevel::none);
    plan.strategy = test::strategy("pipeline", {"data", "pipeline"});
    plan.strategy.pipeline = "pipeline";
    plan.mesh = {{"data", 1}, {"pipeline", 2}};
    plan.batch = 8;
    const double without = part(plan, {}, MemoryPart::embedding_and_head);
    EXPECT_EQ(part(plan, {.rules = {memory_rules::kPipelineResults}}, MemoryPart::embedding_and_head) - without,
              8 * 4 * 100 * 2);
    plan.mesh[1].size = 1;
    EXPECT_EQ(part(plan, {.rules = {memory_rules::kPipelineResults}}, MemoryPart::embedding_and_head),
              part(plan, {}, MemoryPart::embedding_and_head));
}

}  // namespace
}  // namespace dodona::step
