// Tasks of post-training: what becomes of the network, and what a step then runs, keeps and sends.
#include "derived.hpp"

#include "graph/post_training.hpp"
#include "step/predict.hpp"

namespace dodona::derivation {
namespace post_training_test {

using graph::Graph;
using graph::Layer;
using step::MemoryPart;
using step::TimePart;

const std::map<std::string, std::string> kSmall{{"layers", "4"},       {"hidden", "256"}, {"heads", "8"},
                                                {"kv_heads", "4"},     {"ffn", "512"},    {"sequence", "64"},
                                                {"vocabulary", "1024"}};

std::map<std::string, std::string> small_and(std::map<std::string, std::string> more) {
    more.insert(kSmall.begin(), kSmall.end());
    return more;
}

Graph network(const std::string& name, const std::map<std::string, std::string>& more = {}) {
    return graph::build(model(name, small_and(more)));
}

const Layer& at(const Graph& graph, const std::string& name) {
    for (const Layer& layer : graph.layers) {
        if (layer.name == name) {
            return layer;
        }
    }
    throw InternalError("no layer " + name);
}

step::Prediction predicted(const Graph& graph, std::int64_t microbatch = 2, plan::ShardLevel shard = {},
                           plan::RecomputeKind recompute = plan::RecomputeKind::none) {
    plan::Plan plan = plan_of("data", {{"data", 4}});
    plan.batch = 4 * microbatch;
    plan.microbatch = microbatch;
    plan.shard = shard;
    plan.recompute = recompute;
    return step::predict(graph, flat_ring(4), plan);
}

std::string faults_of(const std::string& name, const std::map<std::string, std::string>& more = {}) {
    try {
        network(name, more);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

// The file models/llama-3.1-8b-lora.yaml was written by hand.
TEST(PostTraining, AdaptersAreThoseOfTheModelWrittenByHand) {
    const Graph by_hand = graph::build(model("llama-3.1-8b-lora"));
    const Graph made = graph::build(model("llama-3.1-8b+lora"));
    ASSERT_EQ(made.layers.size(), by_hand.layers.size());
    for (std::size_t v = 0; v < made.layers.size(); ++v) {
        const Layer& a = made.layers[v];
        const Layer& b = by_hand.layers[v];
        EXPECT_EQ(a.name.starts_with("layers"), b.name.starts_with("layers")) << a.name << " " << b.name;
        EXPECT_EQ(a.kind, b.kind) << a.name;
        EXPECT_EQ(a.role, b.role) << a.name;
        EXPECT_EQ(a.frozen, b.frozen) << a.name;
        EXPECT_EQ(a.producers, b.producers) << a.name;
        EXPECT_EQ(a.nest.result, b.nest.result) << a.name;
    }
    EXPECT_EQ(graph::count(made).trained, 41'943'040);
    EXPECT_EQ(graph::count(graph::build(model("llama-3.1-8b+lora", {{"rank", "64"}}))).trained, 4 * 41'943'040);
}

TEST(PostTraining, QuantisedWeightsTakeTheirBitsAndTheRestIsInFull) {
    const Graph graph = network("llama-3.1-8b+qlora");
    EXPECT_EQ(at(graph, "layers[1]/q_base").storage, graph::WeightStorage::nf4);
    EXPECT_EQ(at(graph, "layers[1]/q_a").storage, graph::WeightStorage::full);
    EXPECT_EQ(at(graph, "embedding").storage, graph::WeightStorage::full);
    const double matrices = 4 * (2.0 * 256 * 256 + 2 * 256 * 128 + 3 * 256 * 512);
    const Bytes lora = predicted(network("llama-3.1-8b+lora")).memory[MemoryPart::weights];
    const Bytes qlora = predicted(graph).memory[MemoryPart::weights];
    EXPECT_NEAR((lora - qlora).in(1_B), matrices * (4 - 0.5 - 1.0 / 64 - 4.0 / 64 / 256), 1e-6);
    const Bytes single =
        predicted(network("llama-3.1-8b+qlora", {{"storage", "nf4-single"}})).memory[MemoryPart::weights];
    EXPECT_NEAR((lora - single).in(1_B), matrices * (4 - 0.5 - 4.0 / 64), 1e-6);
    for (const char* storage : {"int8", "fp8"}) {
        const Bytes bytes =
            predicted(network("llama-3.1-8b+qlora", {{"storage", storage}})).memory[MemoryPart::weights];
        EXPECT_NEAR((lora - bytes).in(1_B), matrices * (4 - 1), 1e-6) << storage;
    }
}

/// A ring whose devices have a memory of 1 GB/s, so that passes over it show.
step::Prediction on_slow_memory(const Graph& graph, Precision precision = Precision::fp32) {
    cluster::Cluster cluster = flat_ring(4);
    cluster.device.memory_bandwidth = 1.0_GB_per_s;
    cluster.device.matrix[Precision::bf16] = 1.0_TFLOP_per_s;
    cluster.device.matrix[Precision::fp8] = 1.0_TFLOP_per_s;
    plan::Plan plan = plan_of("data", {{"data", 4}});
    plan.batch = 8;
    plan.microbatch = 2;
    plan.precision = precision;
    return step::predict(graph, cluster, plan);
}

TEST(PostTraining, ProductsOfEightBitsReadWeightsOfFp8AsTheyAre) {
    const auto step = [](const char* storage, Precision precision) {
        return on_slow_memory(network("llama-3.1-8b+qlora", {{"storage", storage}}), precision).step.value;
    };
    const Seconds lora = on_slow_memory(network("llama-3.1-8b+lora"), Precision::fp8).step.value;
    EXPECT_EQ(step("fp8", Precision::fp8), lora);
    EXPECT_GT(step("int8", Precision::fp8), lora);
    EXPECT_EQ(step("fp8", Precision::bf16), step("int8", Precision::bf16)) << "both are dequantised";
    EXPECT_GT(step("fp8", Precision::bf16), on_slow_memory(network("llama-3.1-8b+lora"), Precision::bf16).step.value);
}

TEST(PostTraining, EveryProductWithQuantisedWeightsPaysAPassThatDequantisesThem) {
    const step::Prediction lora = on_slow_memory(network("llama-3.1-8b+lora"));
    const step::Prediction qlora = on_slow_memory(network("llama-3.1-8b+qlora"));
    const double matrices = 4 * (2.0 * 256 * 256 + 2 * 256 * 128 + 3 * 256 * 512);
    const double moved = matrices * (0.5 + 1.0 / 64 + 4.0 / 64 / 256 + 4);
    const auto more = [&](TimePart part) { return (qlora.time[part] - lora.time[part]).in(unit::second); };
    EXPECT_NEAR(more(TimePart::forward), moved / 1e9, 1e-3 * moved / 1e9);
    // Nothing before the first block is trained: its q, k and v need no gradient of their input.
    const double first = 256.0 * 256 + 2 * 256 * 128;
    EXPECT_NEAR(more(TimePart::backward), (1 - first / matrices) * moved / 1e9, 1e-3 * moved / 1e9);
}

TEST(PostTraining, ZeroThreeGathersQuantisedWeightsAsTheyAreStored) {
    const auto gathered = [&](const std::string& name) {
        const Graph graph = network(name);
        plan::Plan plan = plan_of("data", {{"data", 4}});
        plan.batch = 4;
        plan.shard = plan::ShardLevel::parameters;
        static const cluster::Cluster cluster = flat_ring(4);
        const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
        Bytes sum;
        for (const auto& transfer : stage_states(costed, plan, step::cut_stages(costed, {}, {}).front(), 1).transfers) {
            sum += transfer.what == step::StateTransfer::What::parameters ? transfer.size : Bytes{};
        }
        return sum.in(1_B);
    };
    const double matrices = 4 * (2.0 * 256 * 256 + 2 * 256 * 128 + 3 * 256 * 512);
    const double first = 256.0 * 256 + 2 * 256 * 128;  // read in forward only
    EXPECT_NEAR(gathered("llama-3.1-8b+lora") - gathered("llama-3.1-8b+qlora"),
                (2 * matrices - first) * (4 - 0.5 - 1.0 / 64 - 4.0 / 64 / 256), 1e-3);
}

TEST(PostTraining, AFrozenReferenceRunsForwardAndKeepsNothing) {
    const step::Prediction sft = predicted(network("llama-3.1-8b+sft"));
    const step::Prediction dpo = predicted(network("llama-3.1-8b+dpo"));
    EXPECT_NEAR(dpo.time[TimePart::forward] / sft.time[TimePart::forward], 2, 1e-9);
    EXPECT_EQ(dpo.time[TimePart::backward], sft.time[TimePart::backward]);
    EXPECT_EQ(dpo.time[TimePart::optimizer], sft.time[TimePart::optimizer]);
    EXPECT_EQ(dpo.memory[MemoryPart::activations], sft.memory[MemoryPart::activations]);
    EXPECT_EQ(dpo.memory[MemoryPart::gradients], sft.memory[MemoryPart::gradients]);
    EXPECT_EQ(dpo.memory[MemoryPart::optimizer], sft.memory[MemoryPart::optimizer]);
    EXPECT_NEAR(dpo.memory[MemoryPart::weights] / sft.memory[MemoryPart::weights], 2, 1e-9);
}

/// Neither do the copies that eager operators keep of what their layers read and write.
TEST(PostTraining, AFrozenReferenceKeepsNothingInEagerSoftware) {
    const auto kept = [](const std::string& name) {
        plan::Plan plan = plan_of("data", {{"data", 4}});
        plan.batch = 8;
        plan.microbatch = 2;
        plan.memory = library().memory_profile("transformers");
        return step::predict(network(name), flat_ring(4), plan).memory[MemoryPart::activations];
    };
    EXPECT_EQ(kept("llama-3.1-8b+dpo"), kept("llama-3.1-8b+sft"));
    EXPECT_EQ(kept("llama-3.1-8b+grpo"), kept("llama-3.1-8b+sft"));
}

TEST(PostTraining, APrecomputedReferenceLeavesTheStepOfFineTuning) {
    const step::Prediction sft = predicted(network("llama-3.1-8b+sft"));
    const step::Prediction dpo = predicted(network("llama-3.1-8b+dpo", {{"reference", "false"}}));
    EXPECT_EQ(dpo.step.value, sft.step.value);
    EXPECT_EQ(dpo.memory.total(), sft.memory.total());
}

TEST(PostTraining, TheBaseWithoutAdaptersIsTheReferenceAndTakesNoMemory) {
    const step::Prediction lora = predicted(network("llama-3.1-8b+lora"));
    const step::Prediction dpo = predicted(network("llama-3.1-8b+lora+dpo"));
    EXPECT_EQ(dpo.memory[MemoryPart::weights], lora.memory[MemoryPart::weights]);
    EXPECT_EQ(dpo.memory[MemoryPart::optimizer], lora.memory[MemoryPart::optimizer]);
    EXPECT_GT(dpo.time[TimePart::forward], 1.8 * lora.time[TimePart::forward]);
    EXPECT_LT(dpo.time[TimePart::forward], 2.0 * lora.time[TimePart::forward]) << "adapters run once";
}

TEST(PostTraining, TheOldPolicyIsAForwardPassWithTheWeightsOfThePolicy) {
    const step::Prediction sft = predicted(network("llama-3.1-8b+sft"));
    const step::Prediction grpo = predicted(network("llama-3.1-8b+grpo"));
    const step::Prediction alone = predicted(network("llama-3.1-8b+grpo", {{"reference", "false"}}));
    EXPECT_NEAR(grpo.time[TimePart::forward] / sft.time[TimePart::forward], 3, 1e-9);
    EXPECT_NEAR(alone.time[TimePart::forward] / sft.time[TimePart::forward], 2, 1e-9);
    EXPECT_NEAR(grpo.memory[MemoryPart::weights] / sft.memory[MemoryPart::weights], 2, 1e-9);
    EXPECT_EQ(alone.memory[MemoryPart::weights], sft.memory[MemoryPart::weights]);
    EXPECT_EQ(graph::count(network("llama-3.1-8b+grpo")).trained, graph::count(network("llama-3.1-8b")).trained);
}

TEST(PostTraining, RecomputationRepeatsNoPassThatHasNoGradient) {
    const auto recomputed = [](const std::string& name) {
        return predicted(network(name), 2, plan::ShardLevel::none, plan::RecomputeKind::full);
    };
    EXPECT_NEAR(recomputed("llama-3.1-8b+dpo").time[TimePart::recompute] /
                    recomputed("llama-3.1-8b+sft").time[TimePart::recompute],
                1, 1e-12);
    EXPECT_EQ(recomputed("llama-3.1-8b+dpo").memory[MemoryPart::activations],
              recomputed("llama-3.1-8b+sft").memory[MemoryPart::activations]);
}

TEST(PostTraining, FurtherPassesGatherShardedWeightsOnce) {
    const auto parameters = [](const std::string& name) {
        return predicted(network(name), 2, plan::ShardLevel::parameters).time[TimePart::parameters];
    };
    // The policy gathers in forward and backward; the reference, or the policy that gave the answers, in forward.
    const auto sft = parameters("llama-3.1-8b+sft");
    EXPECT_GT(parameters("llama-3.1-8b+dpo"), sft);
    EXPECT_LT(parameters("llama-3.1-8b+dpo"), 2.0 * sft);
    EXPECT_GT(parameters("llama-3.1-8b+grpo"), parameters("llama-3.1-8b+dpo"));
}

TEST(PostTraining, PairsStayInOneMicroBatch) {
    const step::Prediction odd = predicted(network("llama-3.1-8b+dpo"), 1);
    EXPECT_FALSE(odd.fits);
    EXPECT_EQ(text(odd.limits.front()), "micro-batches need multiples of 2 samples: so many answers are compared");
}

/// Forward passes over p stages, m micro-batches each, as software runs them before those that are trained, take
/// (m + p - 1) times a stage's, which is what they add to 1F1B (step/pipeline.hpp).
TEST(PostTraining, AStageHoldsTheSameBlocksOfEveryPass) {
    const auto on_two_stages = [](const std::string& name, plan::RecomputeKind recompute) {
        plan::Plan plan = plan_of("pipeline", {{"pipeline", 2}, {"data", 2}});
        plan.batch = 16;
        plan.microbatch = 2;
        plan.recompute = recompute;
        return step::predict(network(name), flat_ring(4), plan);
    };
    const auto sent = [](const step::Prediction& prediction) {
        for (const step::CommunicationLine& line : prediction.communication) {
            if (line.subject == step::CommunicationSubject::stage_boundary) {
                return line.size.in(1_B);
            }
        }
        return 0.0;
    };
    for (const auto recompute : {plan::RecomputeKind::none, plan::RecomputeKind::full}) {
        const step::Prediction sft = on_two_stages("llama-3.1-8b+sft", recompute);
        for (const auto& [name, passes] : {std::pair("llama-3.1-8b+dpo", 1), std::pair("llama-3.1-8b+grpo", 2)}) {
            const step::Prediction other = on_two_stages(name, recompute);
            ASSERT_TRUE(other.fits && sft.fits);
            ASSERT_EQ(other.stages.size(), 2U);
            for (std::size_t s = 0; s < 2; ++s) {
                EXPECT_EQ(other.stages[s].layers, sft.stages[s].layers);
            }
            EXPECT_NEAR(other.time[TimePart::forward] / sft.time[TimePart::forward], 1 + passes, 1e-9) << name;
            EXPECT_EQ(other.time[TimePart::backward], sft.time[TimePart::backward]) << name;
            EXPECT_NEAR((other.time[TimePart::recompute] - sft.time[TimePart::recompute]).in(unit::second), 0, 1e-15);
            EXPECT_EQ(other.memory[MemoryPart::activations], sft.memory[MemoryPart::activations]) << name;
            EXPECT_NEAR(other.memory[MemoryPart::weights] / sft.memory[MemoryPart::weights], 2, 1e-9) << name;
            // No gradient is sent back.
            EXPECT_NEAR(sent(other) / sent(sft), 1 + passes / 2.0, 1e-9) << name;
        }
    }
}

TEST(PostTraining, ContradictionsAndNetworksThatCannotAreTold) {
    EXPECT_NE(faults_of("llama-3.1-8b+lora+qlora").find("a network has one of lora and qlora"), std::string::npos);
    EXPECT_NE(faults_of("llama-3.1-8b+dpo+grpo").find("a network has one of sft, dpo and grpo"), std::string::npos);
    EXPECT_NE(faults_of("llama-3.1-8b+qlorra").find("did you mean \"qlora\"?"), std::string::npos);
    EXPECT_NE(faults_of("llama-3.1-8b+lora", {{"rank", "0"}}).find("whole number from 1"), std::string::npos);
    EXPECT_NE(faults_of("llama-3.1-8b+qlora", {{"storage", "int3"}}).find("nf4 or nf4-single or int8 or fp8"),
              std::string::npos);
    EXPECT_NE(faults_of("llama-3.1-8b+dpo", {{"reference", "no"}}).find("true or false"), std::string::npos);
    EXPECT_THROW(model("resnet50+lora"), InputError);
    EXPECT_NE(faults_of("llama-3.1-8b-lora+dpo").find("has frozen layers"), std::string::npos);
}

}  // namespace post_training_test
}  // namespace dodona::derivation
