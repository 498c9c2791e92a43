// Memory of four stages worked by hand, tensor by tensor: a pipeline of a GPT, a mixture of experts, residual
// convolutions and an adapter.
#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/kept_tensors.hpp"
#include "step/predict.hpp"
#include "tests/worlds/memory_rules.hpp"

namespace dodona::step {
namespace stages_by_hand_test {

using test::block;
using test::layer;
using test::network;

graph::Entry linear(const char* name, std::int64_t out, std::vector<std::string> from = {}) {
    return layer(name, "linear", {{"out", out}, {"bias", false}}, std::move(from));
}

graph::Entry table() {
    return layer("embedding", "embedding", {{"vocabulary", std::int64_t{100}}, {"features", std::int64_t{8}}});
}

graph::Graph of_tokens(std::vector<graph::Entry> entries) {
    return graph::build(network(test::tensor({{"sequence", 4}}, graph::Element::index), std::move(entries)));
}

cluster::Cluster narrow_cluster() {
    cluster::Cluster cluster = test::small_cluster();
    cluster.device.matrix[Precision::bf16] = 100_TFLOP_per_s;
    return cluster;
}

plan::Plan alone() {
    plan::Plan plan;
    plan.strategy = test::strategy("data", {"data"});
    plan.mesh = {{"data", 1}};
    plan.batch = 1;
    plan.precision = Precision::bf16;
    return plan;
}

/// Kept for backward on a stage, as the list has it.
double kept(const graph::Graph& graph, const plan::Plan& plan, std::size_t stage = 0) {
    Bytes sum;
    for (const KeptLine& line : peak_memory(graph, narrow_cluster(), plan, stage).kept) {
        sum += line.total;
    }
    return sum.in(1_B);
}

// A block of a GPT keeps 32 elements that the norm reads, 32 that it makes, 64 before and 64 after the activation.
constexpr double kGptBlock = 2 * (32 + 32 + 64 + 64);
constexpr double kGptIndices = 8 * 4;  // which the table reads

graph::Graph gpt() {
    return of_tokens({table(),
                      block("body", 4,
                            {layer("norm", "rms_norm"), linear("up", 16), layer("gelu", "gelu"), linear("down", 8),
                             layer("sum", "add", {}, {"down", "input"})}),
                      linear("head", 100), layer("loss", "cross_entropy")});
}

plan::Plan two_stages() {
    plan::Plan plan = alone();
    plan.strategy = test::pipelined();
    plan.mesh = {{"pipeline", 2}};
    plan.batch = 4;
    plan.microbatch = 1;
    plan.stages = {2, 2};
    return plan;
}

// The first of two stages has two micro-batches in flight, the last one. The head reads 32 elements, and a loss keeps 100
// probabilities a token in fp32.
TEST(StagesByHand, OfAGptHoldTheMicroBatchesInFlight) {
    plan::Plan plan = two_stages();
    EXPECT_EQ(kept(gpt(), plan), 2 * (2 * kGptBlock + kGptIndices));
    EXPECT_EQ(kept(gpt(), plan, 1), 2 * kGptBlock + 2 * 32 + 4 * 100 * 4);
    plan.recompute = plan::RecomputeKind::full;
    EXPECT_EQ(kept(gpt(), plan), 2 * (2 * 2 * 32 + kGptIndices)) << "the input of each block";
}

// A token goes to two of four experts: 64 elements of copies, 128 between the products. The router keeps its input, which
// the norm makes, and 16 scores; the norm its input; the dispatch a row of 8 bytes for each copy.
TEST(StagesByHand, OfAMixtureKeepTheCopiesOfTokens) {
    const graph::Graph graph =
        of_tokens({table(), block("body", 2,
                                  {layer("norm", "rms_norm"), layer("router", "router", {{"experts", std::int64_t{4}}}),
                                   layer("dispatch", "dispatch", {{"top_k", std::int64_t{2}}}, {"norm", "router"}),
                                   layer("up", "expert_linear", {{"out", std::int64_t{16}}}), layer("gelu", "gelu"),
                                   layer("down", "expert_linear", {{"out", std::int64_t{8}}}),
                                   layer("combine", "combine", {}, {"down", "router"}),
                                   layer("sum", "add", {}, {"combine", "input"})})});
    EXPECT_EQ(kept(graph, alone()), kGptIndices + 2 * (2 * (32 + 32 + 16 + 64 + 128 + 128) + 8 * 4 * 2));
}

// An image of 8 x 4 x 4 in fp32: results of both convolutions, which their norms read, and of both activations, which the
// next convolution reads; the first one reads the image.
TEST(StagesByHand, OfResidualConvolutionsKeepFourImagesABlock) {
    const auto conv = [](const char* name) {
        return layer(name, "conv",
                     {{"filters", std::int64_t{8}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}});
    };
    const graph::Graph graph = graph::build(network(
        test::tensor({{"channel", 8}, {"height", 4}, {"width", 4}}),
        {block("body", 2,
               {conv("conv1"), layer("norm1", "batch_norm"), layer("relu1", "relu"), conv("conv2"),
                layer("norm2", "batch_norm"), layer("sum", "add", {}, {"norm2", "input"}), layer("relu2", "relu")})}));
    plan::Plan plan = alone();
    plan.precision = Precision::fp32;
    EXPECT_EQ(kept(graph, plan), 4 * 128 * (2 * 4 + 1));
    // A pass in fp32 keeps what a step in fp32 does.
    plan.precision = Precision::bf16;
    EXPECT_EQ(kept(graph, plan), 2 * 128 * (2 * 4 + 1));
    plan.memory.rules = {
        {.action = plan::MemoryAction::cast, .tensors = plan::MemoryTensors::activations, .to = plan::CastTo::fp32}};
    EXPECT_EQ(kept(graph, plan), 4 * 128 * (2 * 4 + 1));
    plan.memory.rules[0].match.kinds = {"batch_norm"};
    EXPECT_EQ(kept(graph, plan), 2 * 128 * (2 * 4 + 1) + 2 * 128 * 2 * 2) << "what norms read";
}

// Next to a frozen matrix only the adapter's factors keep what they read: 32 elements, and 8 of its rank.
TEST(StagesByHand, OfAnAdapterKeepWhatItsFactorsRead) {
    const auto frozen = [](graph::Entry entry) {
        entry.frozen = true;
        return entry;
    };
    const graph::Graph graph =
        of_tokens({frozen(table()), frozen(linear("product", 8)), linear("first", 2, {"embedding"}),
                   linear("second", 8), layer("sum", "add", {}, {"product", "second"}), layer("gelu", "gelu")});
    EXPECT_EQ(kept(graph, alone()), 2 * (32 + 8 + 32)) << "and what the activation reads";
}

// 2,064 weights in 2 bytes, fp32 gradients and 12 bytes of states. A step of one micro-batch: a GPT of two blocks keeps
// its blocks, indices, what the head reads and 400 probabilities in fp32; the loss is in the place of the kept ones. An
// update whose list of square roots takes 4 bytes a weight is the peak: it needs more than activations and workspace.
TEST(Moments, OfAStepAreWhatIsThere) {
    const graph::Graph graph = of_tokens({table(),
                                          block("body", 2,
                                                {layer("norm", "rms_norm"), linear("up", 16), layer("gelu", "gelu"),
                                                 linear("down", 8), layer("sum", "add", {}, {"down", "input"})}),
                                          linear("head", 100), layer("loss", "cross_entropy")});
    constexpr double kWeights = 2 * 800 + 2 * (8 + 2 * 128);
    constexpr double kStates = kWeights * (2 + 4 + 12);
    constexpr double kActivations = 2 * kGptBlock + kGptIndices + 2 * 32 + 4 * 400;
    plan::Plan plan = alone();
    plan.memory.rules = memory_rules::kSeparateLoss;
    const auto moments = [&] { return peak_memory(graph, narrow_cluster(), plan, 0).moments; };
    EXPECT_EQ(moments().forward.in(1_B), kStates + kActivations);
    EXPECT_EQ(moments().loss.in(1_B), kStates + kActivations + 400 * (2 + 4));
    EXPECT_EQ(moments().backward.in(1_B), moments().loss.in(1_B)) << "backward begins with the loss";
    EXPECT_EQ(moments().update.in(1_B), kStates);
    const auto total = [&] { return predict(graph, narrow_cluster(), plan, {}).memory.total().in(1_B); };
    EXPECT_EQ(total(), moments().backward.in(1_B));
    plan.memory.prepend({memory_rules::kUpdateTemporaries});
    EXPECT_EQ(moments().update.in(1_B), kStates + 4 * kWeights);
    EXPECT_EQ(total(), moments().update.in(1_B));
    EXPECT_GT(moments().update, moments().backward);
    plan.memory.prepend({memory_rules::kAutocast});
    EXPECT_EQ(moments().update.in(1_B), kStates + (4 - 2) * kWeights) << "copies that autocast made are gone";
}

// Gradients in 16 bits have a copy in fp32 while they update: 20 bytes a weight.
TEST(Moments, OfAnUpdateHoldACopyOfNarrowGradients) {
    plan::Plan plan = alone();
    plan.memory.rules = {{.action = plan::MemoryAction::keep, .tensors = plan::MemoryTensors::update_gradients}};
    const auto update = [&] { return peak_memory(gpt(), narrow_cluster(), plan, 0).moments.update.in(1_B); };
    constexpr double kWeights = 2 * 800 + 4 * (8 + 2 * 128);
    EXPECT_EQ(update(), kWeights * (2 + 4 + 12));
    plan.gradient_precision = Precision::bf16;
    EXPECT_EQ(update(), kWeights * (2 + 2 + 4 + 12));
}

}  // namespace stages_by_hand_test
}  // namespace dodona::step
