// Additive attention of GNMT: 25 queries and 24 keys of 1,024 features, values of as many.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace additive_attention_test {

const Tensor kAddedQueries = tensor({{"sequence", 25}, {"feature", 1024}});
const Tensor kAddedKeys = tensor({{"sequence", 24}, {"feature", 1024}});
const Tensor kAddedValues = tensor({{"sequence", 24}, {"feature", 512}});

double streamed(const std::vector<Kernel>& kernels) {
    double elements = 0;
    for (const Kernel& kernel : kernels) {
        elements += kernel.kind == KernelKind::stream ? kernel.elements : 0;
    }
    return elements;
}

}  // namespace additive_attention_test

using namespace additive_attention_test;

// 600 pairs: sums of 1,024 features and values of 512 each.
TEST(AdditiveAttention, AddsQueriesAndKeysForEachPair) {
    const Nest built = nest("additive_attention", {kAddedQueries, kAddedKeys, kAddedValues});
    EXPECT_EQ(weights(built), 2 * 1024 + 1);
    EXPECT_EQ(built.result, tensor({{"sequence", 25}, {"feature", 512}}));
    const Work work = built.work(built.whole());
    EXPECT_EQ(work.model_forward, 2.0 * 600 * (1024 + 512) * unit::flop);
    EXPECT_EQ(streamed(work.forward), 600 * (2 * 1024.0 + 2)) << "the sums written and read, the scores in place";
    EXPECT_EQ(streamed(work.backward_input), 600 * (3 * 1024.0 + 3));
    EXPECT_EQ(streamed(work.backward_weight), 600 * 1024.0);
}

TEST(AdditiveAttention, KeepsASumForEachPair) {
    const Nest built = nest("additive_attention", {kAddedQueries, kAddedKeys, kAddedValues});
    ASSERT_EQ(built.saved.size(), 3U);
    EXPECT_EQ(built.saved[0].operand, 2) << "values; the gradients of queries and keys come from the sums";
    EXPECT_EQ(built.saved[1].factor, 24 * 1024);
    EXPECT_EQ(built.saved[2].factor, 24);
}

TEST(AdditiveAttention, QueriesAndValuesMayBeSplitKeysAndScoresNot) {
    const Nest built = nest("additive_attention", {kAddedQueries, kAddedKeys, kAddedValues});
    const auto can_split = [&](const char* loop) {
        return built.loops[static_cast<std::size_t>(built.loop(loop))].can_split;
    };
    EXPECT_TRUE(can_split("query"));
    EXPECT_TRUE(can_split("feature"));
    EXPECT_FALSE(can_split("key"));
    EXPECT_FALSE(can_split("score_feature"));
}

TEST(AdditiveAttention, ShapesThatDisagreeAreRefused) {
    EXPECT_THROW(nest("additive_attention", {kAddedQueries, kAddedValues, kAddedValues}), InputError)
        << "keys of other features";
    EXPECT_THROW(nest("additive_attention", {kAddedQueries, kAddedKeys, kAddedQueries}), InputError)
        << "a value for each key";
}

}  // namespace dodona::graph::test
