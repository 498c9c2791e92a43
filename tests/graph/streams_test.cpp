// Modulation and streams of tokens by hand: shapes, bytes, arithmetic, what is learnt and what may be split.
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

}  // namespace streams_test
}  // namespace dodona::graph::test
