// Work grows with distinct layers, not with depth.
#include <gtest/gtest.h>

#include "derived.hpp"

namespace dodona::derivation {
namespace growth_test {

struct Size {
    std::size_t layers = 0;
    std::size_t transfers = 0;
    std::size_t saved = 0;
    std::size_t segments = 0;
    auto operator<=>(const Size&) const = default;
};

Size size_of(const std::string& depth) {
    const Derived gpt(model("gpt", {{"layers", depth}}),
                      plan_of("megatron-sequence", {{"tensor", 8}, {"data", 4}, {"pipeline", 4}}));
    Size size{.layers = gpt.costed().sharded->layers.size(), .segments = gpt.costed().segments.size()};
    for (const plan::ShardedLayer& layer : gpt.costed().sharded->layers) {
        size.transfers += layer.transfers.size();
        size.saved += layer.saved.size();
    }
    return size;
}

// tokens, embedding, positions, dropout, two instances of 12 layers, norm, head, loss: 31.
TEST(ADeepNetwork, IsShardedInAsManyLayersAsAShallowOne) {
    const Size shallow = size_of("12");
    EXPECT_EQ(shallow.layers, 31u);
    EXPECT_GT(shallow.transfers, 0u);
    EXPECT_EQ(size_of("96000"), shallow);
}

// What a stage sends in layers is linear in its depth: every block sends alike.
TEST(ADeepNetwork, SendsInProportionToItsDepth) {
    const auto sent = [](const std::string& depth) {
        return Derived(model("gpt", {{"layers", depth}}), plan_of("megatron", {{"tensor", 8}})).sent_in_layers();
    };
    const double block = (sent("96000") - sent("12")) / (96000 - 12);
    // 4 all-reduces of 2,048 * 2,304 fp32 numbers, 2 * 7/8 of 18,874,368 bytes each.
    EXPECT_DOUBLE_EQ(block, 4 * 1.75 * 18'874'368);
}

}  // namespace growth_test
}  // namespace dodona::derivation
