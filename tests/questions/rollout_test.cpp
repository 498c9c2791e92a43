// Engines of built-in networks by hand, and how GPUs are divided between training and generation.
#include "questions/rollout/rollout.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "files/library.hpp"
#include "generation/answer_lengths.hpp"

namespace dodona::questions::rollout_test {

using generation::Engine;
using rollout::Answer;
using rollout::Placement;
using rollout::Question;
using rollout::Split;

namespace {

const files::Library& library() {
    static const files::Library library(std::getenv("DODONA_SOURCE"));
    return library;
}

graph::Graph network(const std::string& name, std::int64_t sequence) {
    const std::vector<files::Setting> settings{{"sequence", std::to_string(sequence), {}}};
    return graph::build(library().model(name, settings));
}

generation::EngineNetworks networks(const std::string& name, std::int64_t prompt = 1024, std::int64_t longest = 4096) {
    return {.token = network(name, 1),
            .prompt = network(name, prompt),
            .longest = network(name, longest),
            .prompt_tokens = static_cast<double>(prompt),
            .longest_tokens = static_cast<double>(longest)};
}

std::optional<Engine> engine(const std::string& name, std::int64_t tensor, const std::string& machine = "dgx-h100") {
    return Engine::of(networks(name), library().cluster(machine),
                      {.strategy = library().strategy("megatron"), .tensor = tensor, .sequences = 256});
}

double seconds(Seconds time) { return time.in(unit::second); }

TEST(Engine, KeepsKeysAndValuesOfEveryLayer) {
    // llama-3.1-8b: 32 layers, 8 key/value heads of 128, in 2 bytes.
    const Bytes whole = 1_B * (2.0 * 32 * 8 * 128 * 2);
    EXPECT_EQ(engine("llama-3.1-8b", 1)->cache(10), 10 * whole);
    EXPECT_EQ(engine("llama-3.1-8b", 8)->cache(10), 10 * whole / 8);
    EXPECT_EQ(engine("llama-3.1-8b", 16)->cache(10), 10 * whole / 8) << "each head on two GPUs";
    EXPECT_FALSE(engine("llama-3.1-8b", 64)) << "it has 32 heads";
    // gpt2: 12 layers of 768, queries, keys and values in one tensor.
    EXPECT_EQ(engine("gpt2", 1)->cache(1), 1_B * (2.0 * 12 * 768 * 2));
    // qwen3-30b-a3b: 48 layers, 4 heads of 128, whose norms are repeated on 8 GPUs.
    EXPECT_EQ(engine("qwen3-30b-a3b", 8)->cache(1), 1_B * (2.0 * 48 * 128 * 2));
}

TEST(Engine, KeepsTheLatentOfLatentAttentionOnEveryGpu) {
    // deepseek-v3: 61 layers, a latent of 512 and a rotated part of 64.
    EXPECT_EQ(engine("deepseek-v3", 16)->cache(1), 1_B * (61.0 * (512 + 64) * 2));
}

TEST(Engine, KeepsNoMoreThanTheWindow) {
    // gpt-oss-120b: 36 layers, 8 heads of 64; every other one sees 128 positions.
    const Bytes position = 1_B * (2.0 * 8 * 64 * 2);
    const Bytes kept = engine("gpt-oss-120b", 1)->cache(1000);
    EXPECT_NEAR(kept / (18 * (1000 + 128) * position), 1, 1e-3);
}

TEST(Engine, HoldsAllWeights) {
    // llama-3.1-8b: 8,030,261,248 in 2 bytes; its norms, 2 * 32 + 1 of 4096, are on every GPU.
    EXPECT_EQ(engine("llama-3.1-8b", 1)->weights(), 1_B * (2 * 8'030'261'248.0));
    const double norms = 65.0 * 4096;
    EXPECT_EQ(engine("llama-3.1-8b", 8)->weights(), 1_B * (2 * ((8'030'261'248.0 - norms) / 8 + norms)));
}

TEST(Engine, DecodesNoFasterThanTheMemoryReadsWeightsAndCache) {
    // All weights but the table of the embedding, 128,256 * 4096, at 3350 GB/s: 4.48 ms.
    const double weights = 2 * (8'030'261'248.0 - 128'256 * 4096.0) / 3.35e12;
    const Engine one = *engine("llama-3.1-8b", 1);
    EXPECT_GT(seconds(one.decode(1, 0).value), weights);
    EXPECT_LT(seconds(one.decode(1, 0).value), 1.5 * weights);
    // 256 sequences of 2000 tokens: 67 GB of cache, 20 ms.
    const double cache = 256 * 2000 * 131'072.0 / 3.35e12;
    const double cached = seconds(one.decode(256, 2000).value) - seconds(one.decode(256, 0).value);
    EXPECT_GT(cached, cache);
    EXPECT_LT(cached, 1.5 * cache);
}

// Published: one sequence of 1024 to 1152 tokens takes 1/75 s a token on an A100 of 40 GB with vLLM 0.23.0
// (https://johnmusgrave.com/p/vllm-throughput-latency-sweep-on); 6.48 ms on an H100 of 80 GB with vLLM 0.21.0, 6.59 ms each of
// four (https://yobitelcomm.github.io/bench/recipes/concurrency-sweep/, lengths not said: short chats). Nothing is fitted to them.
TEST(Engine, DecodesAsPublishedWithinAThird) {
    const Engine a100 = *engine("llama-3.1-8b", 1, "dgx-a100");
    const Engine h100 = *engine("llama-3.1-8b", 1);
    const auto off = [](const Estimate& predicted, double published) { return seconds(predicted.value) / published; };
    RecordProperty("a100", std::to_string(off(a100.decode(1, 1088), 1.0 / 75)));
    EXPECT_NEAR(off(a100.decode(1, 1088), 1.0 / 75), 1, 0.33);
    EXPECT_NEAR(off(h100.decode(1, 256), 6.48e-3), 1, 0.33);
    EXPECT_NEAR(off(h100.decode(4, 256), 6.59e-3), 1, 0.33);
}

TEST(Engine, ReadsNoExpertThatNoTokenGoesTo) {
    // qwen3-30b-a3b: 8 of 128 experts; of 64 tokens 98 % of the experts get one.
    const Engine one = *engine("qwen3-30b-a3b", 1);
    const double all = 2 * 30.5e9 / 3.35e12;
    EXPECT_LT(seconds(one.decode(1, 0).value), 0.4 * all);
    EXPECT_GT(seconds(one.decode(64, 0).value), 0.8 * all);
}

/// llama-3.1-8b: 64 prompts of 128 tokens, 8 answers to each of 512 tokens on average.
Question question(std::int64_t gpus, double longest = 2048) {
    const auto most = static_cast<std::int64_t>(longest) + 128;
    Question asked{.subject = {"llama-3.1-8b+grpo", "dgx-h100"},
                   .longest = network("llama-3.1-8b", most),
                   .mean = network("llama-3.1-8b", 128 + 512),
                   .engine = networks("llama-3.1-8b", 128, most),
                   .engine_strategy = library().strategy("megatron"),
                   .cluster = library().cluster("dgx-h100"),
                   .space = {},
                   .options = {.prompts = 64, .samples = 8, .prompt = 128, .sequences = 256, .memory = 90},
                   .lengths = generation::answer_lengths(512, longest),
                   .batch = 256,
                   .passes = 2};
    asked.space.devices = gpus;
    asked.space.strategies = {library().strategy("zero1"), library().strategy("megatron")};
    return asked;
}

const Split& best(const Answer& answer, Placement placement) {
    const Split* found = answer.best(placement);
    if (found == nullptr) {
        throw std::runtime_error("no such split");
    }
    return *found;
}

TEST(Rollout, StepIsTheSumOfItsPartsOrTheLongerSide) {
    const Answer answer = rollout::ask(question(16));
    ASSERT_GE(answer.splits.size(), 3U);
    for (const Split& split : answer.splits) {
        const Seconds generates = split.generation.generated.slowest.time.value;
        const Seconds trains = split.training.update.value + split.training.log_probabilities.value;
        const bool at_once = split.placement == Placement::one_behind;
        const Seconds both = at_once ? max(generates, trains) : generates + trains;
        EXPECT_NEAR(seconds(split.step.value), seconds(both + split.transfer + split.copies), 1e-9);
        EXPECT_LE(split.step.lo, split.step.value);
        EXPECT_LE(split.step.value, split.step.hi);
        EXPECT_EQ(split.training.updates, 2) << "of 256 samples";
        const bool together = split.placement == Placement::together;
        EXPECT_EQ(split.training.gpus + (together ? 0 : split.generation.gpus), 16);
        EXPECT_NEAR(seconds(split.training_waits), together ? 0 : seconds(both - trains), 1e-9);
        EXPECT_NEAR(seconds(split.generation_waits), together ? 0 : seconds(both - generates), 1e-9);
    }
    // Two forward passes against a forward and a backward pass, which is twice as long.
    const Split& together = best(answer, Placement::together);
    EXPECT_NEAR(together.training.log_probabilities.value / together.training.update.value, 2.0 / 3, 0.1);
}

TEST(Rollout, GpusThatGenerateMakeGenerationFasterAndTheOthersTheUpdates) {
    const Answer answer = rollout::ask(question(32));
    const Split* before = nullptr;
    std::vector<const Split*> apart;
    for (const Split& split : answer.splits) {
        if (split.placement == Placement::one_behind) {
            apart.push_back(&split);
        }
    }
    std::sort(apart.begin(), apart.end(),
              [](const Split* a, const Split* b) { return a->training.gpus < b->training.gpus; });
    ASSERT_GE(apart.size(), 3U);
    for (const Split* split : apart) {
        if (before != nullptr) {
            EXPECT_GE(split->generation.generated.slowest.time.value, before->generation.generated.slowest.time.value);
            EXPECT_LE(split->training.update.value, 1.02 * before->training.update.value);
        }
        before = split;
    }
}

TEST(Rollout, LongerAnswersOfTheSameMeanAndLessMemoryMakeNothingFaster) {
    const auto generation = [](const Question& asked) {
        return best(rollout::ask(asked), Placement::together).generation.generated.slowest.time.value;
    };
    Question asked = question(8);
    asked.options.tensor = 1;
    const Seconds shorter = generation(asked);
    Question longer = question(8, 4096);
    longer.options.tensor = 1;
    EXPECT_GT(generation(longer), shorter);
    asked.options.memory = 21;  // 1.6 GiB next to the weights: some ten sequences of 64
    EXPECT_GT(generation(asked), shorter);
}

TEST(Rollout, MovesStatesToTheHostWhereThatIsFaster) {
    Question asked = question(4);
    asked.space.strategies = {library().strategy("zero1")};
    asked.reference = true;
    asked.options.tensor = 1;
    const Split moved = best(rollout::ask(asked), Placement::together);
    const Seconds there_and_back = 2 * moved.training.states / asked.cluster.host->bandwidth;
    EXPECT_EQ(moved.copies, there_and_back);
    EXPECT_GT(moved.training.states, 1_B * (8'030'261'248.0 * (2 + 12.0 / 4 + 2.0 / 4)))
        << "weights, states, reference";
    asked.cluster.host->bandwidth = asked.cluster.host->bandwidth / 1e6;
    const Answer stays = rollout::ask(asked);
    const Split* kept = stays.best(Placement::together);
    EXPECT_TRUE(kept == nullptr || kept->copies == Seconds{});
}

TEST(Rollout, SaysWhereNoEngineHasRoom) {
    Question asked = question(8);
    asked.options.memory = 10;  // 8 GB; weights take 16 GB on one GPU
    asked.options.tensor = 1;
    const Answer none = rollout::ask(asked);
    EXPECT_TRUE(none.splits.empty());
    EXPECT_EQ(none.left_out.back().why, "no engine fits next to the training's states");
}

TEST(Rollout, LooksAtWholeNodesOrAtGpusOfOne) {
    EXPECT_EQ(rollout::training_counts(8, 8), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(rollout::training_counts(64, 8), (std::vector<std::int64_t>{8, 16, 24, 32, 40, 48, 56}));
    EXPECT_EQ(rollout::training_counts(1, 8), (std::vector<std::int64_t>{}));
    EXPECT_EQ(rollout::training_counts(1024, 8),
              (std::vector<std::int64_t>{8, 16, 32, 64, 128, 256, 384, 512, 640, 768, 896}));
}

}  // namespace
}  // namespace dodona::questions::rollout_test
