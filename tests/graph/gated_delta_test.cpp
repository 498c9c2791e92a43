// The gated delta rule and the short convolution before it: Qwen3-Next's 16 heads of keys and 32 of values, 128 features
// each, in chunks of 64 of 4,096 positions.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace gated_delta_test {

const Tensor kKeys = tensor({{"sequence", 4096}, {"feature", 2048}});
const Tensor kValues = tensor({{"sequence", 4096}, {"feature", 4096}});
const Tensor kGates = tensor({{"sequence", 4096}, {"feature", 64}});
const Values kHeads{{"heads", std::int64_t{32}}, {"key_heads", std::int64_t{16}}};

double flop(Flop f) { return f.in(unit::flop); }

double products(const std::vector<Kernel>& kernels) {
    double sum = 0;
    for (const Kernel& kernel : kernels) {
        sum += kernel.kind == KernelKind::matmul ? flop(kernel.flops) : 0;
    }
    return sum;
}

}  // namespace gated_delta_test

using namespace gated_delta_test;

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

TEST(GatedDelta, ShapesThatDisagreeAreRefused) {
    EXPECT_THROW(nest("gated_delta", {kKeys, kValues, kValues, kGates}, kHeads), InputError);
    EXPECT_THROW(nest("gated_delta", {kKeys, kKeys, kValues, kKeys}, kHeads), InputError) << "two gates a head";
    EXPECT_THROW(nest("gated_delta", {kKeys, kKeys, kValues, kGates},
                      {{"heads", std::int64_t{32}}, {"key_heads", std::int64_t{3}}}),
                 InputError);
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
    EXPECT_THROW(nest("short_conv", {tensor({{"feature", 64}})}, {{"kernel", std::int64_t{4}}}), InputError);
}

}  // namespace dodona::graph::test
