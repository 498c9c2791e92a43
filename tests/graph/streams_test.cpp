// Modulation and streams of tokens, and what a U-Net does with images and tokens, by hand: shapes, bytes, arithmetic, what is learnt and what may be split.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {
namespace streams_test {

using std::int64_t;

const Tensor kTokens = tensor({{"sequence", 10}, {"feature", 4}});
const Tensor kVector = tensor({{"feature", 24}});  // six numbers a feature: two norms and two gates

Work of_one_sample(const Nest& built) { return built.work(built.whole()); }

double flop(const std::vector<Kernel>& kernels) { return arithmetic(kernels).in(unit::flop); }

// 40 elements, 4 scales and 4 shifts: forward reads x and writes y, backward reads x and dy and writes dx; the numbers are
// read once forward and once backward, and their gradients written. A product and a sum an element; backward two products and two sums.
TEST(Modulate, ScalesAndShiftsTokensByNumbersOfTheirSample) {
    const Nest built = nest("modulate", {kTokens, kVector});
    EXPECT_EQ(built.result, kTokens);
    EXPECT_TRUE(built.weights.empty());
    const Work work = of_one_sample(built);
    EXPECT_EQ(work.forward[0].elements, 2 * 40 + 8);
    EXPECT_EQ(flop(work.forward), 2 * 40);
    EXPECT_EQ(work.backward_input[0].elements, 3 * 40 + 2 * 8);
    EXPECT_EQ(flop(work.backward_input), 4 * 40);
    EXPECT_EQ(work.forward[0].unfused.kernels, 2);
    EXPECT_DOUBLE_EQ(work.forward[0].unfused.traffic, (4. + 7) / (2 + 3));
    EXPECT_EQ(built.saved.size(), 2U) << "the tokens and the vector";
    EXPECT_FALSE(built.linear);
}

TEST(Modulate, GatesWithoutAShift) {
    const Work work = of_one_sample(nest("modulate", {kTokens, kVector}, {{"shift", false}}));
    EXPECT_EQ(work.forward[0].elements, 2 * 40 + 4);
    EXPECT_EQ(flop(work.forward), 40);
    EXPECT_EQ(work.backward_input[0].elements, 3 * 40 + 2 * 4);
    EXPECT_EQ(flop(work.backward_input), 3 * 40);
    EXPECT_DOUBLE_EQ(work.forward[0].unfused.traffic, (2. + 6) / (2 + 3));
}

// The vector has no position: its gradient is a sum over the sequence, partial where that is split.
TEST(Modulate, HasAGradientOfItsVectorThatIsPartialWherePositionsAreSplit) {
    const Nest built = nest("modulate", {kTokens, kVector});
    EXPECT_EQ(built.inputs[1].loops, (std::vector<int>{kBatch, kNoLoop}));
    EXPECT_TRUE(built.loops[1].can_split);
    EXPECT_FALSE(built.loops[2].can_split) << "a shard of six numbers a feature is not of a feature's shard";
}

TEST(Modulate, LearnsATableOfTheNumbersItTakes) {
    const Nest both = nest("modulate", {kTokens, kVector}, {{"learned", true}});
    EXPECT_EQ(weights(both), 8);
    EXPECT_EQ(of_one_sample(both).backward_weight[0].elements, 8);
    EXPECT_EQ(weights(nest("modulate", {kTokens, kVector}, {{"learned", true}, {"shift", false}})), 4);
}

TEST(Modulate, NeedsAVectorOfWholeFeatures) {
    EXPECT_THROW(nest("modulate", {kTokens, tensor({{"feature", 6}})}), InputError);
    EXPECT_THROW(nest("modulate", {kTokens, tensor({{"feature", 4}})}), InputError) << "a scale, but no shift";
    EXPECT_NO_THROW(nest("modulate", {kTokens, tensor({{"feature", 4}})}, {{"shift", false}}));
    EXPECT_THROW(nest("modulate", {kTokens, kTokens}), InputError);
}

// Two streams of three features, four tokens, and two sums: each sum is of two products. Forward reads 24 numbers and 16
// factors and writes 24; backward reads X, dY and the factors and writes dX and theirs.
TEST(MixStreams, SumsStreamsWithFactorsOfEachToken) {
    const Tensor streams = tensor({{"sequence", 4}, {"feature", 6}});
    const Nest built =
        nest("mix_streams", {streams, tensor({{"sequence", 4}, {"feature", 4}})}, {{"streams", int64_t{2}}});
    EXPECT_EQ(built.result, streams);
    EXPECT_TRUE(built.loops[1].can_split);
    EXPECT_FALSE(built.loops[2].can_split);
    EXPECT_EQ(built.saved.size(), 2U) << "the streams and the factors";
    const Work work = of_one_sample(built);
    EXPECT_EQ(work.forward[0].elements, 24 + 24 + 16);
    EXPECT_EQ(flop(work.forward), 2 * 2 * 24);
    EXPECT_EQ(work.backward_input[0].elements, 2 * 24 + 24 + 2 * 16);
    EXPECT_EQ(flop(work.backward_input), 2 * flop(work.forward));
    EXPECT_THROW(nest("mix_streams", {streams, kTokens}, {{"streams", int64_t{2}}}), InputError);
}

TEST(MixStreams, SpreadsOneStreamOverSeveral) {
    const Nest built = nest("mix_streams", {kTokens, kTokens}, {{"streams", int64_t{1}}});
    EXPECT_EQ(built.result, tensor({{"sequence", 10}, {"feature", 16}}));
}

TEST(Join, PutsStreamsSideBySideAndSplitsAsTheyDo) {
    const Nest whole = nest("join", {tensor({{"sequence", 6}, {"feature", 4}}), kTokens});
    EXPECT_EQ(whole.result, tensor({{"sequence", 16}, {"feature", 4}}));
    EXPECT_TRUE(whole.loops[1].can_split) << "a concatenation cannot be split there";
    EXPECT_TRUE(whole.linear);
    EXPECT_TRUE(whole.saved.empty());
    EXPECT_EQ(of_one_sample(whole).forward[0].elements, 2 * 64);
    EXPECT_EQ(of_one_sample(whole).backward_input[0].elements, 2 * 64);
    EXPECT_EQ(nest("join", {kTokens, kTokens}, {{"along", std::string("feature")}}).result,
              tensor({{"sequence", 10}, {"feature", 8}}));
    EXPECT_THROW(nest("join", {kTokens, tensor({{"sequence", 6}, {"feature", 5}})}), InputError);
}

TEST(Join, MovesNothingThatStaysWhereItIs) {
    const Work work = of_one_sample(nest("join", {kTokens, kTokens}, {{"copied", false}}));
    EXPECT_TRUE(work.forward.empty() && work.backward_input.empty());
}

TEST(Narrow, IsOneOfTheTensorsThatWereJoined) {
    const Nest part = nest("narrow", {kTokens}, {{"start", int64_t{4}}, {"size", int64_t{6}}});
    EXPECT_EQ(part.result, tensor({{"sequence", 6}, {"feature", 4}}));
    EXPECT_TRUE(part.loops[1].can_split);
    EXPECT_EQ(of_one_sample(part).forward[0].elements, 2 * 24);
    EXPECT_EQ(of_one_sample(part).backward_input[0].elements, 2 * 24);
    EXPECT_TRUE(of_one_sample(nest("narrow", {kTokens}, {{"size", int64_t{6}}, {"copied", false}})).forward.empty());
    EXPECT_THROW(nest("narrow", {kTokens}, {{"start", int64_t{5}}, {"size", int64_t{6}}}), InputError);
}

// 3 channels of 8 x 6 positions and 3 numbers: forward reads and writes 144 and reads 3, backward reads 144 and writes 3.
TEST(Add, GivesEachChannelOfAnImageANumber) {
    const Tensor image = tensor({{"channel", 3}, {"height", 8}, {"width", 6}});
    const Nest sum = nest("add", {image, tensor({{"feature", 3}})});
    EXPECT_EQ(sum.result, image);
    EXPECT_EQ(sum.inputs[1].loops, (std::vector<int>{0, 1})) << "its gradient is partial where positions are split";
    EXPECT_FALSE(sum.linear);
    EXPECT_EQ(of_one_sample(sum).forward[0].elements, 2 * 144 + 3);
    EXPECT_EQ(of_one_sample(sum).backward_input[0].elements, 144 + 3);
    EXPECT_THROW(nest("add", {image, tensor({{"feature", 4}})}), InputError);
    EXPECT_THROW(nest("add", {tensor({{"feature", 3}}), image}), InputError);
}

TEST(ToImage, TurnsTokensBack) {
    const Tensor image = tensor({{"channel", 4}, {"height", 2}, {"width", 5}});
    const Nest turned = nest("to_image", {kTokens}, {{"height", int64_t{2}}, {"width", int64_t{5}}});
    EXPECT_EQ(turned.result, image);
    EXPECT_EQ(nest("to_sequence", {turned.result}).result, kTokens);
    EXPECT_FALSE(turned.loops[1].can_split);
    EXPECT_TRUE(turned.loops[2].can_split);
    EXPECT_EQ(turned.output.loops, (std::vector<int>{kBatch, 2, kNoLoop, kNoLoop}));
    EXPECT_EQ(of_one_sample(turned).forward[0].elements, 2 * 40);
    EXPECT_THROW(nest("to_image", {kTokens}, {{"height", int64_t{3}}, {"width", int64_t{3}}}), InputError);
}

// 3 * 8 * 6 = 144 positions become four each: 5 * 144 numbers are moved both forward and backward.
TEST(Upsample, RepeatsEachPosition) {
    const Nest larger = nest("upsample", {tensor({{"channel", 3}, {"height", 8}, {"width", 6}})});
    EXPECT_EQ(larger.result, tensor({{"channel", 3}, {"height", 16}, {"width", 12}}));
    EXPECT_EQ(of_one_sample(larger).forward[0].elements, 5 * 144);
    EXPECT_EQ(of_one_sample(larger).backward_input[0].elements, 5 * 144);
    ASSERT_TRUE(larger.output.windows[2].has_value());
    EXPECT_EQ(larger.output.windows[2]->kernel, larger.output.windows[2]->stride) << "no halo";
    EXPECT_EQ(
        nest("upsample", {tensor({{"channel", 3}, {"height", 8}, {"width", 6}})}, {{"factor", int64_t{3}}}).result,
        tensor({{"channel", 3}, {"height", 24}, {"width", 18}}));
}

}  // namespace streams_test
}  // namespace dodona::graph::test
