// What software keeps beside a network's own tensors, and recomputation of named layers, by hand.
//
// Four tokens, eight features, a vocabulary of 100; two blocks of norm (8 weights), up (8 x 16), gelu and down (16 x 8)
// with a residual sum; embedding and head of 800 weights each: 2,128 weights, 16-bit, fp32 gradients.
#include <gtest/gtest.h>

#include "plan/recompute.hpp"
#include "scenes.hpp"
#include "step/predict.hpp"
#include "step/segment_cost.hpp"
#include "step/segment_memory.hpp"
#include "step/stage_memory.hpp"
#include "step/stages.hpp"
#include "tests/worlds/memory_rules.hpp"

namespace dodona::step {
namespace memory_test {

using plan::RecomputeKind;
using test::block;
using test::layer;
using test::network;

constexpr double kWeights = 2 * 800 + 2 * (8 + 2 * 128);
constexpr double kLogits = 4 * 100;

graph::Graph decoder() {
    const auto linear = [](const char* name, std::int64_t out) {
        return layer(name, "linear", {{"out", out}, {"bias", false}});
    };
    return graph::build(
        network(test::tensor({{"sequence", 4}}, graph::Element::index),
                {layer("embedding", "embedding", {{"vocabulary", std::int64_t{100}}, {"features", std::int64_t{8}}}),
                 block("body", 2,
                       {layer("norm", "rms_norm"), linear("up", 16), layer("gelu", "gelu"), linear("down", 8),
                        layer("sum", "add", {}, {"down", "input"})}),
                 linear("head", 100), layer("loss", "cross_entropy")}));
}

cluster::Cluster narrow_cluster() {
    cluster::Cluster cluster = test::small_cluster();
    cluster.device.matrix[Precision::bf16] = 100_TFLOP_per_s;
    cluster.device.matrix[Precision::fp8] = 200_TFLOP_per_s;
    return cluster;
}

plan::Plan usual(std::int64_t devices = 1) {
    plan::Plan plan;
    plan.strategy = test::strategy("data", {"data"});
    plan.mesh = {{"data", devices}};
    plan.batch = devices;
    plan.precision = Precision::bf16;
    return plan;
}

Prediction predicted(const plan::Plan& plan) { return predict(decoder(), narrow_cluster(), plan, {}); }

Prediction with(const plan::MemoryProfile& memory, plan::Plan plan = usual()) {
    plan.memory = memory;
    return predicted(plan);
}

double part(const Prediction& p, MemoryPart part) { return p.memory[part].in(1_B); }

Prediction recomputing(const std::vector<std::string>& names) {
    plan::Plan plan = usual();
    plan.recompute = RecomputeKind::layers;
    for (const std::string& name : names) {
        plan.recompute_layers.push_back(plan::layers_named(name));
    }
    return predicted(plan);
}

TEST(MemoryTotals, AreThreeFiguresOfOneProcess) {
    plan::Plan plan = usual(2);
    plan.memory.communicator = 1_MiB;
    const Prediction p = predicted(plan);
    const double process = p.memory.total().in(1_B);
    EXPECT_EQ(p.totals.process, p.memory.total());
    EXPECT_EQ(part(p, MemoryPart::communicators), (1_MiB).in(1_B))
        << "gradients over data; all ranks are the same group";
    EXPECT_EQ(p.totals.reserved.in(1_B), process - part(p, MemoryPart::context) - part(p, MemoryPart::communicators));
    ASSERT_EQ(p.stages.size(), 1U);
    EXPECT_EQ(p.stages[0].memory, p.totals);
}

// Weights, gradients and states are allocated once: twice the micro-batch adds what comes and goes.
TEST(Fragmentation, IsOfWhatComesAndGoes) {
    plan::Plan plan = usual();
    plan.memory.fragmentation = 0.25;
    plan.memory.recomputed_fragmentation = 0.5;
    const auto unused = [&](RecomputeKind recompute) {
        plan.recompute = recompute;
        const auto of = [&](std::int64_t samples) {
            plan.batch = samples;
            plan.microbatch = samples;
            return predicted(plan).totals;
        };
        return (of(2).reserved - of(1).reserved) / (of(2).allocated - of(1).allocated) - 1;
    };
    EXPECT_DOUBLE_EQ(unused(RecomputeKind::none), 0.25);
    EXPECT_DOUBLE_EQ(unused(RecomputeKind::full), 0.5);
    plan.memory.recomputed_fragmentation = 0;
    EXPECT_DOUBLE_EQ(unused(RecomputeKind::full), 0.25) << "never less than without";
}

/// Layers of eight features in 16 bits, `wide` of 64 between them.
graph::Graph chain(std::vector<graph::Entry> layers) {
    return graph::build(network(test::tensor({{"feature", 8}}), std::move(layers)));
}

graph::Entry product(const char* name, std::int64_t out) {
    return layer(name, "linear", {{"out", out}, {"bias", false}});
}

// (8 + 64) x 2 bytes of gradients at the first product, (64 + 4) x 2 at the second. When backward is there, the 4 x 2
// that the third keeps are free, and for the first the 64 x 2 of the second too.
TEST(Workspace, IsBesideWhatBackwardHasNotFreed) {
    const graph::Graph graph = chain({product("wide", 64), product("narrow", 4), product("last", 4)});
    plan::Plan plan = usual();
    EXPECT_EQ(part(predict(graph, narrow_cluster(), plan, {}), MemoryPart::workspace), (64 + 4) * 2 - 4 * 2);
    const auto transient = [&] {
        const cluster::Cluster cluster = narrow_cluster();
        const CostedGraph costed = cost_graph(graph, cluster, plan, {});
        return kept_activations(costed, plan, {{{{1, 1, 1}}}}, {{.whole = {1}, .for_weights = {0}}}, 1)
            .transient.in(1_B);
    };
    EXPECT_EQ(transient(), (64 + 4) * 2 - 4 * 2);
    plan.offload.activations = true;
    EXPECT_EQ(transient(), (8 + 64) * 2) << "nothing kept is on the device";
    plan.offload.activations = false;
    plan.schedule = plan::schedule_from("zb-h1").value();
    EXPECT_EQ(transient(), (8 + 64) * 2) << "gradients of weights, put off, read all that is kept";
}

// While the branch of two products goes backward, the gradient that the sum left for its other input waits.
TEST(Workspace, HoldsGradientsThatWait) {
    const graph::Graph graph = chain(
        {product("first", 8), product("wide", 64), product("narrow", 8), layer("sum", "add", {}, {"narrow", "first"})});
    EXPECT_EQ(part(predict(graph, narrow_cluster(), usual(), {}), MemoryPart::workspace), (64 + 8 + 8) * 2);
}

// Only the first layer is split over tensor ranks, and its output gathered: a group for that, one for the gradients and one of
// all ranks.
TEST(MemoryTotals, HaveACommunicatorForEachGroupOfTheFirstLayerToo) {
    const graph::Graph graph = graph::build(network(
        test::tensor({{"feature", 16}}), {layer("first", "linear", {{"out", std::int64_t{16}}}),
                                          block("body", 2, {layer("next", "linear", {{"out", std::int64_t{16}}})})}));
    plan::Plan plan = usual(2);
    plan.strategy = test::strategy("first", {"tensor", "data"});
    plan.mesh = {{"tensor", 2}, {"data", 2}};
    plan.strategy.rules.resize(1);
    plan.strategy.rules[0].match.names = {"first"};
    plan.strategy.rules[0].lay = {{"out_feature", {"tensor"}, {}}};
    plan.strategy.rules[0].output = std::vector<plan::Lay>{};
    plan.memory.communicator = 1_MiB;
    const double both = part(predict(graph, narrow_cluster(), plan, {}), MemoryPart::communicators);
    plan.mesh = {{"tensor", 1}, {"data", 2}};
    const double data = part(predict(graph, narrow_cluster(), plan, {}), MemoryPart::communicators);
    EXPECT_EQ(data, (1_MiB).in(1_B)) << "gradients over data; all ranks are the same group";
    EXPECT_EQ(both, (3_MiB).in(1_B));
}

TEST(MemoryTotals, AreEqualWhereSoftwareAddsNothing) {
    const Prediction p = predicted(usual());
    EXPECT_EQ(p.totals.allocated, p.totals.reserved);
    EXPECT_EQ(part(p, MemoryPart::communicators), 0) << "one device talks to nobody";
    EXPECT_EQ(p.totals.process - p.totals.reserved, p.memory[MemoryPart::context]);
}

TEST(MemoryTotals, OfTheProcessMustFit) {
    plan::MemoryProfile memory;
    memory.workspace = 1_GiB;
    EXPECT_TRUE(predicted(usual()).fits);
    EXPECT_FALSE(with(memory).fits);
}

// 4 bytes a logit are kept, or the gradient in the logits' own 2; while the loss runs there are 2 + 4 more, or
// 2 + 8 where each of its operators has a gradient of its own. Gradients of the loss take (400 + 4) x 2 bytes. Those of
// the head take (4 x 8 + 400) x 2 when what the loss kept is free: less, and beside 2 bytes a logit 4 x 8 x 2 more.
TEST(Logits, AreKeptAsTheLossDoes) {
    const Prediction probabilities = predicted(usual());
    const Prediction separate = with({.rules = memory_rules::kSeparateLoss});
    const Prediction unfused = with({.rules = memory_rules::kUnfusedLoss});
    const Prediction released = with({.rules = memory_rules::kReleasedLoss});
    const Prediction in_place = with({.rules = {memory_rules::kLossInPlace}});
    EXPECT_EQ(part(probabilities, MemoryPart::workspace), (kLogits + 4) * 2);
    EXPECT_EQ(part(separate, MemoryPart::workspace), kLogits * (2 + 4));
    EXPECT_EQ(part(unfused, MemoryPart::workspace), kLogits * (2 + 8));
    EXPECT_EQ(part(released, MemoryPart::workspace), kLogits * 8);
    EXPECT_EQ(part(unfused, MemoryPart::embedding_and_head), part(probabilities, MemoryPart::embedding_and_head));
    EXPECT_EQ(part(in_place, MemoryPart::workspace), 4 * 8 * 2);
    EXPECT_EQ(part(separate, MemoryPart::embedding_and_head), part(probabilities, MemoryPart::embedding_and_head));
    EXPECT_EQ(part(probabilities, MemoryPart::embedding_and_head) - part(in_place, MemoryPart::embedding_and_head),
              kLogits * (4 - 2));
}

// 16 tokens of 100 words and 8 features: ceil(100 / 8) = 13 parts are of ceil(16 / 13) = 2 tokens, a power of two, with
// 200 logits. Of 16 x 8 inputs and 800 weights gradients are kept instead of 1,600 probabilities and the inputs. While
// the loss runs are the inputs and one part's logits.
TEST(Logits, OfAFusedLossComeInChunks) {
    plan::Plan plan = usual();
    plan.batch = plan.microbatch = 4;
    const Prediction whole = with({}, plan);
    const Prediction fused = with({.rules = {memory_rules::kFusedLoss}}, plan);
    EXPECT_EQ(part(fused, MemoryPart::workspace), (16 * 8 + 200) * 2);
    EXPECT_EQ(part(whole, MemoryPart::embedding_and_head) - part(fused, MemoryPart::embedding_and_head),
              16 * 100 * 4 - 800 * 2);
    plan.optimizer = plan::OptimizerKind::adam;
    const std::vector<plan::MemoryRule> both{memory_rules::kFusedLoss, memory_rules::kAutocast};
    EXPECT_EQ(part(with({.rules = both}, plan), MemoryPart::embedding_and_head) -
                  part(with({.rules = {memory_rules::kFusedLoss}}, plan), MemoryPart::embedding_and_head),
              (800 + 16 * 8) * 2)
        << "weights and the last sum are in fp32";
    const std::vector<plan::MemoryRule> over_whole = [] {
        std::vector<plan::MemoryRule> rules = memory_rules::kUnfusedLoss;
        rules.insert(rules.begin(), memory_rules::kFusedLoss);
        return rules;
    }();
    EXPECT_EQ(with({.rules = over_whole}, plan).totals, fused.totals) << "the first rule counts";
}

// Four tokens, one at a time: 100 logits need 8 bytes each; what the product wrote is whole, or comes likewise.
TEST(Logits, OfALossInPartsNeedTemporariesOfOne) {
    const auto workspace = [](std::vector<plan::MemoryRule> rules) {
        for (plan::MemoryRule& rule : rules) {
            rule.chunks = rule.tensors == plan::MemoryTensors::loss_temporaries ? 4 : 1;
        }
        return part(with({.rules = rules}), MemoryPart::workspace);
    };
    EXPECT_EQ(workspace(memory_rules::kUnfusedLoss), kLogits * 2 + 100 * 8);
    EXPECT_EQ(workspace(memory_rules::kReleasedLoss), 100 * 8);
}

std::vector<plan::MemoryRule> placeholder_rules(bool placeholders) {
    std::vector<plan::MemoryRule> rules{memory_rules::kLossInPlace};
    rules.insert(rules.end(), placeholders ? 1 : 0, memory_rules::kPlaceholders);
    return rules;
}

// Two of 128 weights, shared by both blocks; the head's 800 only while it runs.
TEST(Placeholders, AreOneForEachMatrixOfABlock) {
    const auto workspace = [](bool placeholders) {
        return part(with({.rules = placeholder_rules(placeholders)}), MemoryPart::workspace);
    };
    EXPECT_EQ(workspace(true) - workspace(false), 2 * (2 * 128 + 800));
}

// A table of 10,000 x 8 has none: it is no product.
TEST(Placeholders, AreOfProductsAlone) {
    const graph::Graph graph = graph::build(network(
        test::tensor({{"sequence", 4}}, graph::Element::index),
        {layer("embedding", "embedding", {{"vocabulary", std::int64_t{10'000}}, {"features", std::int64_t{8}}}),
         layer("head", "linear", {{"out", std::int64_t{100}}, {"bias", false}}), layer("loss", "cross_entropy")}));
    const auto workspace = [&](bool placeholders) {
        plan::Plan plan = usual();
        plan.memory.rules = placeholder_rules(placeholders);
        return part(predict(graph, narrow_cluster(), plan, {}), MemoryPart::workspace);
    };
    EXPECT_EQ(workspace(true) - workspace(false), 2 * 800);
}

// The norm's 32 results and gelu's 64 are read by dW alone, a byte less each in both blocks. The head reads the last
// sum in 16 bits.
TEST(QuantisedInputs, TakeOneByteInBlocks) {
    plan::Plan plan = usual();
    plan.precision = Precision::fp8;
    const Prediction wide = with({}, plan);
    const Prediction narrow = with({.rules = {memory_rules::kQuantisedInputs}}, plan);
    EXPECT_EQ(part(wide, MemoryPart::activations) - part(narrow, MemoryPart::activations), 2 * (32 + 64));
    EXPECT_EQ(part(wide, MemoryPart::embedding_and_head), part(narrow, MemoryPart::embedding_and_head));
    EXPECT_EQ(part(with({.rules = {memory_rules::kQuantisedInputs}}), MemoryPart::activations),
              part(predicted(usual()), MemoryPart::activations))
        << "nothing to gain in bf16";
}

const graph::test::Values kOneHead{{"heads", std::int64_t{1}}};

/// Two blocks of four tokens: attention of 8 features with its projection, a gate and an up-projection to 16, and down.
graph::Graph gated_decoder(const graph::test::Values& attention = kOneHead) {
    const auto linear = [](const char* name, std::int64_t out, std::vector<std::string> from = {}) {
        return layer(name, "linear", {{"out", out}, {"bias", false}}, std::move(from));
    };
    return graph::build(network(
        test::tensor({{"sequence", 4}}, graph::Element::index),
        {layer("embedding", "embedding", {{"vocabulary", std::int64_t{100}}, {"features", std::int64_t{8}}}),
         block(
             "body", 2,
             {linear("q", 8), linear("k", 8, {"input"}), linear("v", 8, {"input"}),
              layer("attention", "attention", attention, {"q", "k", "v"}), linear("projection", 8), linear("gate", 16),
              linear("up", 16, {"projection"}), layer("gated", "gated", {}, {"gate", "up"}), linear("down", 8)}),
         linear("head", 100), layer("loss", "cross_entropy")}));
}

double gated_activations(const plan::MemoryProfile& memory, Precision precision = Precision::fp8,
                         const graph::test::Values& attention = kOneHead) {
    plan::Plan plan = usual();
    plan.precision = precision;
    plan.memory = memory;
    return part(predict(gated_decoder(attention), narrow_cluster(), plan, {}), MemoryPart::activations);
}

TEST(QuantisedGates, TakeOneByteInBlocks) {
    // The results of gate and up, 64 elements each, of two blocks.
    EXPECT_EQ(gated_activations({}) - gated_activations({.rules = {memory_rules::kQuantisedGates}}), 2 * (64 + 64));
    EXPECT_EQ(gated_activations({.rules = {memory_rules::kQuantisedGates}}, Precision::bf16),
              gated_activations({}, Precision::bf16));
}

// Scores of four by four tokens, in two blocks.
TEST(Probabilities, TakeFourBytes) {
    const auto more = [](const std::string& implementation, bool dropout) {
        const graph::test::Values attention{
            {"heads", std::int64_t{1}}, {"implementation", implementation}, {"dropout", dropout}};
        return gated_activations({.rules = {memory_rules::kWideProbabilities}}, Precision::bf16, attention) -
               gated_activations({}, Precision::bf16, attention);
    };
    EXPECT_EQ(more("materialised", false), 2 * 16 * 4) << "in addition to those in 16 bits";
    EXPECT_EQ(more("materialised", true), 2 * 16 * (4 - 2)) << "after dropout a product reads 16 bits";
    EXPECT_EQ(more("fused", false), 0);
}

// As many elements as the gate has, of two bytes, in two blocks.
TEST(GateResults, AreKeptInAdditionToTheGatesInputs) {
    EXPECT_EQ(gated_activations({.rules = {memory_rules::kGateResults}}) - gated_activations({}), 2 * 64 * 2);
}

/// Four tokens of eight features: a table, two blocks of norm, two products of the norm, and their sum with the block's
/// input; no loss.
graph::Graph doubled() {
    const auto linear = [](const char* name) {
        return layer(name, "linear", {{"out", std::int64_t{8}}, {"bias", false}}, {"norm"});
    };
    return graph::build(
        network(test::tensor({{"sequence", 4}}, graph::Element::index),
                {layer("embedding", "embedding", {{"vocabulary", std::int64_t{100}}, {"features", std::int64_t{8}}}),
                 block("body", 2,
                       {layer("norm", "rms_norm"), linear("one"), linear("two"),
                        layer("sum", "add", {}, {"one", "two", "input"})})}));
}

double activations(const plan::MemoryProfile& memory, plan::Plan plan = usual()) {
    plan.memory = memory;
    return part(predict(doubled(), narrow_cluster(), plan, {}), MemoryPart::activations);
}

// A tensor has 4 x 8 elements. In 16 bits a block keeps the norm's input and its result, which both products read. Where
// software casts, the input is in fp32, since the table is and sums with it are, and each product keeps a copy.
TEST(Autocast, KeepsSumsInFp32AndACopyOfEachProduct) {
    EXPECT_EQ(activations({}), 2 * 32 * (2 + 2));
    EXPECT_EQ(activations({.rules = {memory_rules::kAutocast}}), 2 * 32 * (4 + 2 + 2));
    plan::Plan plan = usual();
    plan.precision = Precision::fp32;
    EXPECT_EQ(activations({.rules = {memory_rules::kAutocast}}, plan), 2 * 32 * (4 + 4)) << "nothing to cast";
    plan.precision = Precision::bf16;
    plan.optimizer = plan::OptimizerKind::adam_bf16;
    EXPECT_EQ(activations({.rules = {memory_rules::kAutocast}}, plan), 2 * 32 * (2 + 2)) << "weights in 16 bits";
}

TEST(Autocast, IsWhatCheckpointsAreKeptIn) {
    plan::Plan plan = usual();
    plan.recompute = RecomputeKind::full;
    EXPECT_EQ(activations({.rules = {memory_rules::kAutocast}}, plan), 2 * activations({}, plan));
}

TEST(NormResults, TakeWhatSoftwareSays) {
    plan::MemoryRule narrow = memory_rules::kNormResults;
    narrow.element = 2_B;
    EXPECT_EQ(activations({.rules = {narrow}}) - activations({}), 2 * 32 * 2);
}

TEST(NormResults, AreKeptInFp32AndWithoutAutocastBesideACopyOfTheInput) {
    EXPECT_EQ(activations({.rules = {memory_rules::kNormResults, memory_rules::kAutocast}}) -
                  activations({.rules = {memory_rules::kAutocast}}),
              2 * 32 * 4);
    EXPECT_EQ(activations({.rules = {memory_rules::kNormResults}}) - activations({}), 2 * 32 * (2 + 4));
    EXPECT_EQ(part(with({.rules = {memory_rules::kNormResults}}), MemoryPart::activations) -
                  part(predicted(usual()), MemoryPart::activations),
              2 * 32 * (2 + 4));
}

// As much less as is kept when backward begins, which is less than 2,128 gradients of 4 bytes.
TEST(FreedGradients, ComeAsActivationsGo) {
    const auto less = [](const plan::Plan& plan) {
        return (predicted(plan).memory.total() - with({.rules = {memory_rules::kFreedGradients}}, plan).memory.total())
            .in(1_B);
    };
    const graph::Graph graph = decoder();
    const cluster::Cluster cluster = narrow_cluster();
    VirtualStage all;
    for (const graph::Segment& segment : graph.segments) {
        all.counts.push_back(segment.count);
    }
    const CostedGraph costed = cost_graph(graph, cluster, usual(), {});
    const KeptActivations kept = kept_activations(costed, usual(), {{all}}, {{.whole = {1}, .for_weights = {0}}}, 1);
    EXPECT_LT(kept.total().in(1_B), kWeights * 4);
    EXPECT_EQ(less(usual()), kept.total().in(1_B));
    plan::Plan accumulating = usual();
    accumulating.batch = 2;
    EXPECT_EQ(less(accumulating), 0) << "those of the first pass stay";
    EXPECT_EQ(less(usual(2)), 0) << "buckets of a reduction stay";
}

// Sequence over tensor ranks but in `up`, whose input, 4 tokens of 8 features of two bytes, is gathered in two blocks.
TEST(GatheredInputs, AreKeptInsteadOfTheirShards) {
    plan::Plan plan = usual();
    plan.strategy = test::strategy("sequence", {"tensor"});
    plan.strategy.rules = {
        {.match = {.names = {"*up"}}, .lay = {{"out_feature", {"tensor"}, {}}}, .regather = true},
        {.match = {.kinds = {"rms_norm", "gelu", "linear", "add"}}, .lay = {{"sequence", {"tensor"}, {}}}}};
    plan.strategy.everywhere = {};
    plan.strategy.shard_axes = {};
    plan.mesh = {{"tensor", 2}};
    const auto activations = [&](const plan::MemoryProfile& memory) {
        return part(with(memory, plan), MemoryPart::activations);
    };
    EXPECT_EQ(activations({.rules = {memory_rules::kGatheredInputs}}) - activations({}), 2 * 4 * (8 - 8 / 2) * 2);
    plan.strategy.rules[0].regather = false;
    EXPECT_EQ(activations({.rules = {memory_rules::kGatheredInputs}}), activations({}))
        << "there is nothing to gather again";
}

TEST(QuantisedGates, AreWhatRecomputedActivationsStartFrom) {
    plan::Plan plan = usual();
    plan.precision = Precision::fp8;
    plan.recompute = plan::RecomputeKind::layers;
    plan.recompute_layers = {plan::layers_named("gated")};
    const auto activations = [&](const plan::MemoryProfile& memory) {
        plan.memory = memory;
        return part(predict(gated_decoder(), narrow_cluster(), plan, {}), MemoryPart::activations);
    };
    EXPECT_EQ(activations({}) - activations({.rules = {memory_rules::kQuantisedGates}}), 2 * (64 + 64));
}

TEST(SharedInputs, AreKeptOnceInASizeOfTheirOwn) {
    // The result of attention, 32 elements of two blocks: 2 bytes for attention, a byte for the projection; 1.5 for both.
    const plan::MemoryProfile twice{.rules = {memory_rules::kQuantisedInputs}};
    const plan::MemoryProfile once{.rules = {memory_rules::kQuantisedInputs, memory_rules::kSharedInputs}};
    EXPECT_EQ(gated_activations(twice) - gated_activations(once), 2 * 32 * 1.5);
    EXPECT_EQ(gated_activations(once, Precision::bf16), gated_activations({}, Precision::bf16));
}

TEST(QuantisedInputs, AreWithGradientsOfResultsAllThatGradientsOfWeightsNeed) {
    const graph::Graph graph = gated_decoder();
    const cluster::Cluster cluster = narrow_cluster();
    const auto needed = [&](const plan::MemoryProfile& memory) {
        plan::Plan plan = usual();
        plan.precision = Precision::fp8;
        plan.memory = memory;
        std::vector<double> bytes;
        for (const SegmentCost& segment : cost_graph(graph, cluster, plan, {}).segments) {
            if (segment.block) {
                bytes.push_back(segment.memory.for_weights.in(1_B));
            }
        }
        return bytes;
    };
    // Inputs: of q, k and v, projection, gate and up, down: 32 + 32 + 32 + 64 elements. Results: 5 of 8 and 2 of 16
    // features, 4 x (5 x 8 + 2 x 16).
    const double elements = 160 + 288;
    for (const double bytes : needed({})) {
        EXPECT_EQ(bytes, 2 * elements);
    }
    const std::vector<double> narrow = needed({.rules = {memory_rules::kQuantisedInputs}});
    ASSERT_FALSE(narrow.empty());
    for (const double bytes : narrow) {
        EXPECT_EQ(bytes, elements);
    }
}

TEST(QuantisedInputs, CountTheirScales) {
    EXPECT_EQ(quantised_bytes(Precision::fp8).in(1_B), 1);
    EXPECT_EQ(quantised_bytes(Precision::mxfp8).in(1_B), 1 + 1.0 / 32);
    EXPECT_EQ(quantised_bytes(Precision::nvfp4).in(1_B), 0.5 + 1.0 / 16);
    EXPECT_EQ(quantised_bytes(Precision::bf16).in(1_B), 2);
}

TEST(GradientCopies, StayBesideTheBufferAndAreCastOneAtATime) {
    const Prediction p = with({.rules = {memory_rules::kGradientCopies}});
    EXPECT_EQ((p.memory.total() - predicted(usual()).memory.total()).in(1_B), 2 * kWeights + 4 * 800);
}

TEST(UpdateCopies, AreOfTheOwnShardOf16BitGradients) {
    plan::Plan plan = usual(2);
    plan.gradient_precision = Precision::bf16;
    EXPECT_EQ(part(with({}, plan), MemoryPart::cache), 0) << "software that makes no copies";
    EXPECT_EQ(part(with({.rules = {memory_rules::kUpdateCopies}}, plan), MemoryPart::cache), kWeights * (2 + 4));
    plan.shard = plan::ShardLevel::states;
    EXPECT_EQ(part(with({.rules = {memory_rules::kUpdateCopies}}, plan), MemoryPart::cache), kWeights / 2 * (2 + 4));
    plan.gradient_precision = Precision::fp32;
    EXPECT_EQ(part(with({.rules = {memory_rules::kUpdateCopies}}, plan), MemoryPart::cache), 0)
        << "they are in fp32 already";
}

// The norm's result (64 bytes) and gelu's (128) are gone, though up and down read them; what they are made of is there
// anyway.
TEST(NamedLayers, DropTheirResults) {
    const Prediction none = predicted(usual());
    const Prediction p = recomputing({"norm", "gelu"});
    EXPECT_EQ(part(none, MemoryPart::activations) - part(p, MemoryPart::activations), 2 * (64 + 128));
    EXPECT_EQ(part(p, MemoryPart::recompute), 0) << "more is there while the loss goes backward";
    EXPECT_GT(p.time[TimePart::recompute], Seconds{});
    EXPECT_LT(p.time[TimePart::recompute], none.time[TimePart::forward]);
    EXPECT_EQ(p.time[TimePart::forward], none.time[TimePart::forward]);
}

TEST(NamedLayers, AreThereAgainOneBlockAtATime) {
    const auto linear = [](const char* name, std::int64_t out) {
        return layer(name, "linear", {{"out", out}, {"bias", false}});
    };
    const graph::Graph blocks = graph::build(network(
        test::tensor({{"sequence", 4}, {"feature", 8}}),
        {block("body", 3, {layer("norm", "rms_norm"), linear("up", 16), layer("gelu", "gelu"), linear("down", 8)})}));
    plan::Plan plan = usual();
    plan.recompute = RecomputeKind::layers;
    plan.recompute_layers = {plan::layers_named("norm"), plan::layers_named("gelu")};
    EXPECT_EQ(part(predict(blocks, narrow_cluster(), plan, {}), MemoryPart::recompute), 64 + 128);
}

// A module of software is the same layers, in the blocks that have what it is a part of.
TEST(Modules, AreLayersOfTheBlocksThatHaveAnother) {
    const auto linear = [](const char* name, std::int64_t out) {
        return layer(name, "linear", {{"out", out}, {"bias", false}});
    };
    const graph::Graph blocks =
        graph::build(network(test::tensor({{"sequence", 4}, {"feature", 8}}),
                             {block("plain", 1, {linear("up", 16), layer("gelu", "gelu"), linear("down", 8)}),
                              block("gated", 2, {linear("gate", 16), layer("gelu", "gelu"), linear("down", 8)})}));
    plan::Plan plan = usual();
    plan.memory.recompute_modules = {
        {.name = "act", .layers = {plan::layers_named("gelu")}, .with = {plan::layers_named("gate")}},
        {.name = "norm", .layers = {plan::layers_named("norm")}, .with = {}}};
    plan.memory.recomputed_together = {"act norm", "act"};
    EXPECT_EQ(plan::modules_together(blocks, plan.memory), std::vector<std::string>{"act"}) << "it has no norm";
    plan.recompute = RecomputeKind::layers;
    plan.recompute_modules = {"act"};
    const std::vector<bool> named = plan::recomputed_layers(blocks, plan);
    EXPECT_EQ(std::count(named.begin(), named.end(), true), 2);
    plan::Plan by_name = plan;
    by_name.recompute_modules.clear();
    by_name.recompute_layers = {plan::layers_named("gated*/gelu")};
    const Prediction modules = predict(blocks, narrow_cluster(), plan, {});
    const Prediction layers = predict(blocks, narrow_cluster(), by_name, {});
    EXPECT_EQ(modules.memory.total(), layers.memory.total());
    EXPECT_EQ(modules.time[TimePart::recompute], layers.time[TimePart::recompute]);
    EXPECT_LT(modules.memory[MemoryPart::activations],
              predict(blocks, narrow_cluster(), usual(), {}).memory[MemoryPart::activations]);
    plan.recompute = RecomputeKind::none;
    EXPECT_EQ(predict(blocks, narrow_cluster(), plan, {}).memory.total(),
              predict(blocks, narrow_cluster(), usual(), {}).memory.total());
    plan.recompute = RecomputeKind::layers;
    plan.recompute_modules = {"norm"};
    EXPECT_TRUE(plan::unknown_modules(plan).empty()) << "passed over, as software does";
    plan.recompute_modules = {"acts"};
    EXPECT_EQ(plan::unknown_modules(plan), std::vector<std::string>{"acts"});
}

// Up reads the norm's result, which must be there to compute it again.
TEST(NamedLayers, KeepWhatTheyRead) {
    const double none = part(predicted(usual()), MemoryPart::activations);
    EXPECT_EQ(none - part(recomputing({"up"}), MemoryPart::activations), 2 * 128);
    EXPECT_EQ(none - part(recomputing({"up", "norm"}), MemoryPart::activations), 2 * (128 + 64));
    // The first sum is the second block's input, the second the head's: both summands take the place of either.
    const Prediction sums = recomputing({"sum"});
    EXPECT_EQ(part(sums, MemoryPart::activations), none - 64 + 2 * 64);
    EXPECT_EQ(part(predicted(usual()), MemoryPart::embedding_and_head) - part(sums, MemoryPart::embedding_and_head),
              64);
}

TEST(NamedLayers, AllTogetherAreAWholeBlock) {
    plan::Plan plan = usual();
    plan.recompute = RecomputeKind::full;
    const Prediction full = predicted(plan);
    const Prediction named = recomputing({"body*"});
    EXPECT_EQ(named.time[TimePart::recompute], full.time[TimePart::recompute]);
    EXPECT_EQ(recomputing({"norm", "up", "gelu", "down", "sum"}).time[TimePart::recompute],
              full.time[TimePart::recompute]);
}

/// Four features of a decoder's input, and a source that each of its instances reads: two products and their sum.
graph::Graph reading_a_source(std::int64_t repeat) {
    const auto linear = [](const char* name, const char* from) {
        return layer(name, "linear", {{"out", std::int64_t{8}}, {"bias", false}}, {from});
    };
    graph::Entry body =
        block("body", repeat,
              {linear("own", "input"), linear("across", "source"), layer("sum", "add", {}, {"own", "across"})});
    body.from = {"start", "source"};
    return graph::build(network(test::tensor({{"sequence", 4}, {"feature", 8}}),
                                {linear("source", "x"), linear("start", "x"), body, layer("loss", "cross_entropy")}));
}

// Each instance keeps its input of 4 x 8 16-bit numbers; the source, as large, is kept once.
TEST(WhatAllInstancesRead, IsKeptOnceAStage) {
    const auto activations = [](std::int64_t repeat, RecomputeKind recompute) {
        plan::Plan plan = usual();
        plan.recompute = recompute;
        return part(predict(reading_a_source(repeat), narrow_cluster(), plan, {}), MemoryPart::activations);
    };
    const double one = 4 * 8 * 2;
    EXPECT_EQ(activations(5, RecomputeKind::none) - activations(3, RecomputeKind::none), 2 * one);
    EXPECT_EQ(activations(5, RecomputeKind::full) - activations(3, RecomputeKind::full), 2 * one);
    const graph::Graph graph = reading_a_source(3);
    const cluster::Cluster cluster = narrow_cluster();
    const CostedGraph costed = cost_graph(graph, cluster, usual(), {});
    for (const std::size_t instances : {2U, 3U}) {
        const SegmentMemory& memory = costed.segments[instances].memory;
        EXPECT_EQ(memory.saved.in(1_B), one);
        ASSERT_EQ(memory.shared_by_instances.size(), 1U);
        EXPECT_EQ(memory.shared_by_instances.begin()->second.in(1_B), one);
    }
    // A stage of the last two instances receives the state and the source, a stage of all what the first reads.
    EXPECT_EQ(incoming(costed, {{VirtualStage{{0, 0, 0, 2, 1}}}}, 0).whole.in(1_B), 2 * one);
    EXPECT_EQ(incoming(costed, {{VirtualStage{{0, 0, 1, 2, 1}}}}, 0).whole.in(1_B), 2 * one);
}

TEST(NamedLayers, MustBeThere) {
    EXPECT_THROW(recomputing({"gelu", "gleu"}), InputError);
    EXPECT_THROW(recomputing({}), InputError);
    try {
        recomputing({"gleu"});
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().front().message, "recompute: no layer of test is called \"gleu\"");
    }
}

}  // namespace memory_test
}  // namespace dodona::step
