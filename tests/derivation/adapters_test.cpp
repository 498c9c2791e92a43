// Low-rank adapters beside frozen layers: what is trained, kept, sent, and that it costs less than training everything.
#include "derived.hpp"

#include "step/predict.hpp"

namespace dodona::derivation {
namespace adapters_test {

constexpr double kHidden = 256, kLength = 64, kRank = 8, kFour = 4;

Derived small_lora() {
    return Derived(model("llama-3.1-8b-lora", {{"layers", "4"},
                                               {"hidden", "256"},
                                               {"heads", "8"},
                                               {"kv_heads", "4"},
                                               {"ffn", "512"},
                                               {"sequence", "64"},
                                               {"vocabulary", "1024"},
                                               {"rank", "8"}}),
                   plan_of("megatron-sequence", {{"tensor", 4}, {"data", 1}}));
}

step::Prediction predicted(const std::string& name) {
    const graph::Graph graph = graph::build(model(name));
    plan::Plan plan = plan_of("data", {{"data", 4}});
    plan.batch = 4;
    return step::predict(graph, flat_ring(4), plan);
}

// Beside Megatron's two gathers and two scatters of an activation, each adapter moves its few features once: gathered
// behind the first factor of q, k, v, gate and up, scattered behind that of projection and down.
TEST(Adapters, SendOnlyTheirRankThroughTheTensorAxis) {
    const Derived lora = small_lora();
    const double activation = kLength * kHidden * kFour;
    const double inner = kLength * kRank * kFour;
    const std::string layer = "layers[2..4]";
    const Tally gathered = lora.segment(layer, Phase::forward, Collective::all_gather);
    EXPECT_EQ(gathered.count, 2 + 5);
    EXPECT_EQ(gathered.bytes, 2 * activation + 5 * inner);
    const Tally scattered = lora.segment(layer, Phase::forward, Collective::reduce_scatter);
    EXPECT_EQ(scattered.bytes, 2 * activation + 2 * inner);
    EXPECT_EQ(lora.segment(layer, Phase::backward, Collective::reduce_scatter).bytes, 2 * activation + 5 * inner);
    EXPECT_EQ(lora.segment(layer, Phase::backward, Collective::all_gather, Purpose::conversion).bytes,
              2 * activation + 2 * inner);
    EXPECT_EQ(lora.segment(layer, Phase::forward, Collective::all_to_all).count, 0);
}

TEST(Adapters, LeaveTheFirstInputWithoutAGradient) {
    const Derived lora = small_lora();
    // Embedding and first norm are frozen: nothing needs the gradient of the first layer's input.
    EXPECT_LT(lora.segment("layers[1]", Phase::backward, Collective::reduce_scatter).bytes,
              lora.segment("layers[2..4]", Phase::backward, Collective::reduce_scatter).bytes);
    EXPECT_EQ(lora.collectives("embedding", Phase::backward), 0);
}

TEST(Adapters, MakeAStepCheaperAndItsStatesTiny) {
    const step::Prediction full = predicted("llama-3.1-8b");
    const step::Prediction lora = predicted("llama-3.1-8b-lora");
    using step::MemoryPart;
    using step::TimePart;
    EXPECT_LT(lora.step.value, 0.8 * full.step.value);
    EXPECT_GT(lora.time[TimePart::forward], full.time[TimePart::forward]);
    EXPECT_LT(lora.time[TimePart::backward], 0.7 * full.time[TimePart::backward]);
    // 41,943,040 trained parameters, all in the blocks.
    EXPECT_EQ(lora.memory[MemoryPart::optimizer], 41'943'040 * 8 * 1_B);
    EXPECT_EQ(lora.memory[MemoryPart::gradients], 41'943'040 * 4 * 1_B);
    const auto all_states = [](const step::Prediction& p) {
        return p.memory[MemoryPart::optimizer] + p.memory[MemoryPart::gradients];
    };
    EXPECT_LT(all_states(lora), 0.01 * all_states(full));
    EXPECT_LT(lora.memory.total(), full.memory.total());
}

}  // namespace adapters_test
}  // namespace dodona::derivation
