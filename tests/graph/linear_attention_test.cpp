// Linear attention, scans and short convolutions, by hand. The gated delta rule: Qwen3-Next's 16 heads of keys and 32 of values,
// 128 features each, in chunks of 64 of 4,096 positions. Mamba-2's layer: Nemotron Nano's 128 heads of 80 features, 8 groups
// of 128 states, in chunks of 128. Mamba's first version: 8,192 features with 16 states each.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace linear_attention_test {

const Tensor kKeys = tensor({{"sequence", 4096}, {"feature", 2048}});
const Tensor kValues = tensor({{"sequence", 4096}, {"feature", 4096}});
const Tensor kGates = tensor({{"sequence", 4096}, {"feature", 64}});
const Values kHeads{{"heads", std::int64_t{32}}, {"key_heads", std::int64_t{16}}};

const Tensor kStates = tensor({{"sequence", 4096}, {"feature", 8 * 128}});
const Tensor kScanned = tensor({{"sequence", 4096}, {"feature", 128 * 80}});
const Tensor kSteps = tensor({{"sequence", 4096}, {"feature", 128}});
const Values kGroups{{"heads", std::int64_t{128}},
                     {"key_heads", std::int64_t{8}},
                     {"chunk", std::int64_t{128}},
                     {"learned", std::int64_t{3}}};

double flop(Flop f) { return f.in(unit::flop); }

double products(const std::vector<Kernel>& kernels) {
    double sum = 0;
    for (const Kernel& kernel : kernels) {
        sum += kernel.kind == KernelKind::matmul ? flop(kernel.flops) : 0;
    }
    return sum;
}

}  // namespace linear_attention_test

using namespace linear_attention_test;

// A position and head: K K^T and Q K^T 64 x 128 each, W and U 64 x 256, the scores' V 64 x 128; the state 3 x 128 x 128.
TEST(GatedDelta, ArithmeticGrowsWithPositionsNotWithTheirSquare) {
    const Nest built = nest("gated_delta", {kKeys, kKeys, kValues, kGates}, kHeads);
    EXPECT_EQ(built.result, kValues);
    EXPECT_EQ(weights(built), 2 * 32);
    const Work work = built.work(built.whole());
    const double forward = 2.0 * 4096 * 32 * (64.0 * (128 + 128 + 256 + 128) + 3.0 * 128 * 128);
    EXPECT_EQ(flop(work.model_forward), forward);
    EXPECT_EQ(products(work.forward), forward);
    const double again = 2.0 * 4096 * 32 * (64.0 * 256 + 2.0 * 128 * 128);  // W, U and the states
    EXPECT_EQ(products(work.backward_input), 2 * forward + again);

    LocalExtents twice = built.whole();
    twice.loops[1] *= 2;
    EXPECT_EQ(flop(built.work(twice).model_forward), 2 * forward);
}

TEST(GatedDelta, HeadsMayBeSplitAndPositionsNot) {
    const Nest built = nest("gated_delta", {kKeys, kKeys, kValues, kGates}, kHeads);
    EXPECT_FALSE(built.loops[static_cast<std::size_t>(built.loop("sequence"))].can_split);
    const int head = built.loop("head");
    for (const Operand& input : built.inputs) {
        EXPECT_TRUE(input.has(head));
    }
    LocalExtents half = built.whole();
    half.loops[static_cast<std::size_t>(head)] /= 2;
    EXPECT_EQ(flop(built.work(half).model_forward), flop(built.work(built.whole()).model_forward) / 2);
}

TEST(GatedDelta, KeepsItsInputsAndTheInversesOfItsChunks) {
    const Nest built = nest("gated_delta", {kKeys, kKeys, kValues, kGates}, kHeads);
    ASSERT_EQ(built.saved.size(), 5U);
    EXPECT_EQ(built.saved[4].what, Saved::What::internal);
    EXPECT_EQ(built.saved[4].factor, 64) << "numbers a position and head";
}

// Kimi Linear's 32 heads of 128: a decay of each feature, scaled queries and keys in one pass more. RWKV-7: four products
// within chunks of 64, U from two of values, three with the state.
TEST(GatedDelta, DecaysOfFeaturesAreAPassMoreAndTwoPairsOfFactorsMoreProducts) {
    const Values heads{{"heads", std::int64_t{32}}};
    const Tensor step = tensor({{"sequence", 4096}, {"feature", 32}});
    const Nest scalar = nest("gated_delta", {kValues, kValues, kValues, kGates}, heads);
    const Nest kda = nest("gated_delta", {kValues, kValues, kValues, kValues, step}, heads);
    EXPECT_EQ(weights(kda), 32 + 32 * 128);
    const Work work = kda.work(kda.whole());
    EXPECT_EQ(flop(work.model_forward), flop(scalar.work(scalar.whole()).model_forward));
    EXPECT_EQ(work.forward[0].elements, 5.0 * 4096 * 4096);
    EXPECT_EQ(work.forward[0].fixed_bytes, 4096.0 * 4096 * Bytes::of_base(12));
    const Nest pairs = nest("gated_delta", {kValues, kValues, kValues, kValues, kValues, kValues}, heads);
    EXPECT_EQ(weights(pairs), 0);
    const double forward = 2.0 * 4096 * 32 * (64.0 * (4 * 128 + 3 * 128 + 2 * 128) + 4.0 * 128 * 128);
    EXPECT_EQ(flop(pairs.work(pairs.whole()).model_forward), forward);
    EXPECT_THROW(nest("gated_delta", {kValues, kValues, kValues, kKeys, step}, heads), InputError);
    EXPECT_THROW(nest("gated_delta", {kKeys, kKeys, kValues, kKeys, step}, kHeads), InputError) << "shared keys";
}

TEST(GatedDelta, ShapesThatDisagreeAreRefused) {
    EXPECT_THROW(nest("gated_delta", {kKeys, kValues, kValues, kGates}, kHeads), InputError);
    EXPECT_THROW(nest("gated_delta", {kKeys, kKeys, kValues, kKeys}, kHeads), InputError) << "two gates a head";
    EXPECT_THROW(nest("gated_delta", {kKeys, kKeys, kValues, kGates},
                      {{"heads", std::int64_t{32}}, {"key_heads", std::int64_t{3}}}),
                 InputError);
}

// A position: C B^T once for each of 8 groups, 128 x 128; for each of 128 heads 128 x 80 in the chunk, 128 x 80 to the state
// and 128 x 80 from it.
TEST(LinearAttention, HeadsOfAGroupShareTheProductOfItsKeysAndQueries) {
    const Nest built = nest("linear_attention", {kStates, kStates, kScanned, kSteps}, kGroups);
    EXPECT_EQ(built.result, kScanned);
    EXPECT_EQ(weights(built), 3 * 128);
    const Work work = built.work(built.whole());
    const double scores = 2.0 * 4096 * 8 * 128 * 128;
    const double of_heads = 2.0 * 4096 * 128 * 128 * 80;
    EXPECT_EQ(flop(work.model_forward), scores + 3 * of_heads);
    EXPECT_EQ(products(work.forward), scores + 3 * of_heads);
    // Two products of each, and the scores and states once more.
    EXPECT_EQ(products(work.backward_input), 2 * (scores + 3 * of_heads) + scores + of_heads);

    LocalExtents half = built.whole();
    half.loops[static_cast<std::size_t>(built.loop("head"))] /= 2;
    EXPECT_EQ(flop(built.work(half).model_forward), (scores + 3 * of_heads) / 2);
}

TEST(LinearAttention, AStateOfEachChunkIsReadAndWrittenInFp32) {
    const Nest built = nest("linear_attention", {kStates, kStates, kScanned, kSteps}, kGroups);
    const Work work = built.work(built.whole());
    const Bytes states = 4096.0 / 128 * 128 * 128 * 80 * Bytes::of_base(2 * 4);
    Bytes carried;
    for (const Kernel& kernel : work.forward) {
        carried += kernel.fixed_bytes;
    }
    EXPECT_EQ(carried, states);
    EXPECT_FALSE(built.loops[static_cast<std::size_t>(built.loop("sequence"))].can_split);
}

TEST(LinearAttention, GatesAreLeftOutWhereTheDecayIsNotLearned) {
    const Nest built = nest("linear_attention", {kKeys, kKeys, kKeys}, {{"heads", std::int64_t{16}}});
    EXPECT_EQ(weights(built), 0);
    EXPECT_EQ(built.saved.size(), 3U);
    EXPECT_THROW(nest("linear_attention", {kStates, kStates, kScanned, kGates}, kGroups), InputError)
        << "64 for 128 heads";
    EXPECT_THROW(nest("linear_attention", {kStates, kKeys, kScanned, kSteps}, kGroups), InputError);
}

TEST(SelectiveScan, StatesOfEachFeatureStayOnTheChip) {
    const Tensor x = tensor({{"sequence", 2048}, {"feature", 8192}});
    const Tensor states = tensor({{"sequence", 2048}, {"feature", 16}});
    const Nest built = nest("selective_scan", {x, x, states, states}, {});
    EXPECT_EQ(built.result, x);
    EXPECT_EQ(weights(built), 8192 * 16 + 8192);
    const Work work = built.work(built.whole());
    EXPECT_EQ(work.forward[0].elements, 3.0 * 2048 * 8192 + 2.0 * 2048 * 16) << "x, dt and y; B and C";
    EXPECT_EQ(flop(work.forward[0].flops), 22.0 * 16 * 2048 * 8192);
    EXPECT_EQ(flop(work.model_forward), 0) << "no matrix product";
    EXPECT_FALSE(built.loops[1].can_split);
    EXPECT_FALSE(built.inputs[2].has(2)) << "B is the same for all features";
    EXPECT_THROW(nest("selective_scan", {x, states, states, states}, {}), InputError);
    EXPECT_THROW(nest("selective_scan", {x, x, states, x}, {}), InputError);
}

TEST(GatedRecurrence, IsOnePassWithAStateOfEachFeature) {
    const Nest built = nest("gated_recurrence", {kKeys, kKeys, kKeys}, {});
    EXPECT_EQ(weights(built), 2048);
    const Work work = built.work(built.whole());
    EXPECT_EQ(work.forward[0].elements, 4.0 * 4096 * 2048);
    EXPECT_EQ(flop(work.forward[0].flops), 70.0 * 4096 * 2048) << "four functions of 16 operations, and six";
    EXPECT_FALSE(built.loops[1].can_split);
    EXPECT_THROW(nest("gated_recurrence", {kKeys, kKeys, kValues}, {}), InputError);
}

TEST(GroupedLinear, HasAMatrixOfEachGroup) {
    const Nest built =
        nest("grouped_linear", {kKeys}, {{"groups", std::int64_t{8}}, {"out", std::int64_t{1024}}, {"bias", true}});
    EXPECT_EQ(weights(built), 2048 * 1024 / 8 + 1024);
    EXPECT_EQ(flop(built.work(built.whole()).model_forward), 2.0 * 4096 * 2048 * 1024 / 8);
    LocalExtents half = built.whole();
    half.loops[static_cast<std::size_t>(built.loop("group"))] /= 2;
    EXPECT_EQ(flop(built.work(half).model_forward), 4096.0 * 2048 * 1024 / 8);
    EXPECT_THROW(nest("grouped_linear", {kKeys}, {{"groups", std::int64_t{3}}, {"out", std::int64_t{1024}}}),
                 InputError);
}

TEST(TokenShift, ReadsTheTokenBefore) {
    const Nest built = nest("token_shift", {kKeys}, {});
    EXPECT_EQ(weights(built), 2048);
    EXPECT_EQ(built.work(built.whole()).forward[0].elements, 2.0 * 4096 * 2048);
    EXPECT_FALSE(built.loops[1].can_split);
}

TEST(ShortConvolution, IsAPassOverFeaturesWithAFewNumbersEach) {
    const Nest built = nest("short_conv", {kKeys}, {{"kernel", std::int64_t{4}}});
    EXPECT_EQ(weights(built), 2048 * 4);
    EXPECT_EQ(built.result, kKeys);
    const Work work = built.work(built.whole());
    EXPECT_EQ(work.forward[0].elements, 2.0 * 4096 * 2048);
    EXPECT_EQ(work.backward_input[0].elements, 3.0 * 4096 * 2048);
    EXPECT_EQ(flop(work.model_forward), 0);
    EXPECT_FALSE(built.loops[1].can_split);
    EXPECT_EQ(weights(nest("short_conv", {kKeys}, {{"kernel", std::int64_t{4}}, {"bias", true}})), 2048 * 5);
    EXPECT_THROW(nest("short_conv", {tensor({{"feature", 64}})}, {{"kernel", std::int64_t{4}}}), InputError);
}

}  // namespace dodona::graph::test
