#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace attention_test {

constexpr std::int64_t kHeads = 2, kLength = 8, kSize = 4;
const Tensor kQkv = tensor({{"sequence", kLength}, {"feature", 3 * kHeads* kSize}});
const Tensor kQ = tensor({{"sequence", kLength}, {"feature", kHeads* kSize}});
const Values kMaterialised{{"heads", kHeads}, {"implementation", std::string("materialised")}};
/// 4 * s * s * d for each head: two products of 2*s*s*d.
constexpr double kFull = 4.0 * kLength * kLength * kSize * kHeads;

double flop(Flop f) { return f.in(unit::flop); }
Work of_one_sample(const Nest& built) { return built.work(built.whole()); }

double products(const std::vector<Kernel>& kernels) {
    double sum = 0;
    for (const Kernel& kernel : kernels) {
        sum += kernel.kind == KernelKind::stream ? 0 : flop(kernel.flops);
    }
    return sum;
}

Values with(Values values, const std::string& key, const decltype(AttributeValue::value)& value) {
    values[key] = value;
    return values;
}

TEST(Attention, OfOneOperandHasTwoProductsForwardAndFourBackward) {
    const Nest attention = nest("attention", {kQkv}, kMaterialised);
    EXPECT_EQ(attention.result, kQ);
    const Work work = of_one_sample(attention);
    EXPECT_EQ(flop(work.model_forward), kFull);
    EXPECT_EQ(products(work.forward), kFull);
    EXPECT_EQ(products(work.backward_input), 2 * kFull);
    EXPECT_TRUE(work.backward_weight.empty());
}

TEST(Attention, ThatIsFusedRecomputesOneProductBackward) {
    const Work work = of_one_sample(nest("attention", {kQkv}, {{"heads", kHeads}}));
    ASSERT_EQ(work.forward.size(), 1U);
    EXPECT_EQ(flop(work.forward[0].flops), kFull);
    EXPECT_EQ(flop(work.backward_input[0].flops), 2.5 * kFull);
    EXPECT_EQ(work.forward[0].elements, 4 * kLength * kHeads * kSize) << "q, k, v read and o written";
    EXPECT_EQ(work.backward_input[0].elements, 8 * kLength * kHeads * kSize);
    EXPECT_EQ(work.forward[0].fixed_bytes, Bytes::of_base(4 * kLength * kHeads));
}

// Two windows of 2 x 2 positions: 4 keys a query, 32 scores a head. Queries by 2 rows and by 2 columns of distances; their 32
// sums a head are read, the scores written and read. The tables have 3 rows of 4 features each.
TEST(Attention, InAGridAddsPositionsOfRowsAndColumns) {
    const Values windows{{"heads", kHeads}, {"documents", std::int64_t{2}}, {"grid", std::int64_t{2}}};
    const Nest built = nest("attention", {kQkv}, windows);
    EXPECT_EQ(weights(built), 2 * 3 * kSize);
    EXPECT_EQ(built.saved.front().factor, 4) << "scores of positions, for each query";
    const Work work = of_one_sample(built);
    ASSERT_EQ(work.forward.size(), 4U);
    EXPECT_EQ(flop(work.forward[0].flops), 2. * kLength * 2 * kSize * kHeads);
    EXPECT_EQ(work.forward[2].elements, 2 * 32 * kHeads + 2 * 2 * kLength * kHeads);
    EXPECT_EQ(work.backward_input[1].elements, 4 * 32 * kHeads + 2 * 2 * kLength * kHeads);
    EXPECT_EQ(flop(work.model_forward), kFull / 2 + 2 * flop(work.forward[0].flops));
    EXPECT_EQ(faults(network(kQkv, {layer("a", "attention", {{"heads", kHeads}, {"grid", std::int64_t{2}}})})),
              "a.grid: 8 positions are not 1 squares with a side of 2\n");
}

TEST(Attention, UnderACausalMaskNeedsHalfAndOnlyFusedSkipsTheRest) {
    const Work fused = of_one_sample(nest("attention", {kQkv}, {{"heads", kHeads}, {"causal", true}}));
    EXPECT_EQ(flop(fused.model_forward), kFull / 2);
    EXPECT_EQ(flop(fused.forward[0].flops), kFull / 2);
    const Work materialised = of_one_sample(nest("attention", {kQkv}, with(kMaterialised, "causal", true)));
    EXPECT_EQ(flop(materialised.model_forward), kFull / 2);
    EXPECT_EQ(products(materialised.forward), kFull);
}

TEST(Attention, ThatIsMaterialisedRepeatsItsForwardUnderSelectiveRecomputation) {
    const Nest materialised = nest("attention", {kQkv}, with(kMaterialised, "dropout", true));
    EXPECT_EQ(products(materialised.selective_work(materialised.whole())), kFull);
    EXPECT_EQ(materialised.selective_work(materialised.whole()).size(), 4U) << "S, softmax, dropout, PV";
    EXPECT_FALSE(nest("attention", {kQkv}, {{"heads", kHeads}}).selective_work);
}

TEST(Attention, ThatIsFusedSavesInputAndOutputOnly) {
    const Nest fused = nest("attention", {kQkv}, {{"heads", kHeads}, {"dropout", true}});
    ASSERT_EQ(fused.saved.size(), 2U);
    EXPECT_EQ(fused.saved[0].what, Saved::What::input);
    EXPECT_EQ(fused.saved[1].what, Saved::What::output);
}

TEST(Attention, OfThreeOperandsSplitsQueriesButNotKeys) {
    const Tensor kv = tensor({{"sequence", 12}, {"feature", kHeads * kSize}});
    const Nest cross = nest("attention", {kQ, kv, kv}, {{"heads", kHeads}});
    EXPECT_TRUE(cross.loops[static_cast<std::size_t>(cross.loop("query"))].can_split);
    EXPECT_FALSE(cross.loops[static_cast<std::size_t>(cross.loop("key"))].can_split);
    EXPECT_EQ(cross.result, kQ);
    EXPECT_EQ(cross.saved.size(), 4U) << "q, k, v and the output";
    EXPECT_EQ(flop(of_one_sample(cross).model_forward), kFull * 12 / kLength);

    LocalExtents half = cross.whole();
    half.loops[static_cast<std::size_t>(cross.loop("query"))] /= 2;
    EXPECT_EQ(flop(cross.work(half).model_forward), kFull * 12 / kLength / 2);
}

TEST(Attention, WithFewerKeyValueHeadsDoesTheSameArithmeticAndReadsLess) {
    const Tensor kv = tensor({{"sequence", kLength}, {"feature", kSize}});
    const Nest grouped = nest("attention", {kQ, kv, kv}, {{"heads", kHeads}, {"kv_heads", std::int64_t{1}}});
    const Work work = of_one_sample(grouped);
    EXPECT_EQ(flop(work.forward[0].flops), kFull);
    EXPECT_EQ(work.forward[0].elements, (2 * kHeads + 2) * kLength * kSize);
    EXPECT_TRUE(grouped.inputs[1].has(grouped.loop("head")));
    const Tensor one = tensor({{"sequence", kLength}, {"feature", (kHeads + 2) * kSize}});
    EXPECT_EQ(nest("attention", {one}, {{"heads", kHeads}, {"kv_heads", std::int64_t{1}}}).result, kQ);
}

TEST(Attention, RefusesWhatDoesNotFitTogether) {
    const Tensor longer = tensor({{"sequence", 12}, {"feature", kHeads * kSize}});
    EXPECT_THROW(nest("attention", {kQ, kQ}, {{"heads", kHeads}}), InputError) << "two tensors";
    EXPECT_THROW(nest("attention", {kQ, kQ, longer}, {{"heads", kHeads}}), InputError) << "keys and values differ";
    EXPECT_THROW(nest("attention", {longer, kQ, kQ}, {{"heads", kHeads}, {"causal", true}}), InputError);
    EXPECT_THROW(nest("attention", {kQkv}, {{"heads", std::int64_t{5}}}), InputError);
    EXPECT_THROW(nest("attention", {kQkv}, {{"heads", kHeads}, {"kv_heads", std::int64_t{3}}}), InputError);
}

}  // namespace attention_test
}  // namespace dodona::graph::test
