// Products of two tensors and a softmax over clusters, by hand.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace products_test {

using std::int64_t;
using List = std::vector<std::int64_t>;

const Tensor kQueries = tensor({{"sequence", 10}, {"feature", 4}});
const Tensor kKeys = tensor({{"sequence", 6}, {"feature", 4}});

double flop(const std::vector<Kernel>& kernels) { return arithmetic(kernels).in(unit::flop); }

Values clusters(List cutoffs, List percent) {
    return {{"vocabulary", int64_t{1000}},
            {"cutoffs", std::move(cutoffs)},
            {"divide", int64_t{4}},
            {"tail_percent", std::move(percent)}};
}

// 10 queries, 6 keys, 4 features: 2*10*6*4 = 480 flop, backward twice.
TEST(BatchedMatmul, OfQueriesAndKeysContractsFeatures) {
    const Nest scores = nest("batched_matmul", {kQueries, kKeys}, {{"transposed", true}});
    EXPECT_EQ(scores.result, tensor({{"sequence", 10}, {"feature", 6}}));
    const Work work = scores.work(scores.whole());
    EXPECT_EQ(flop(work.forward), 480);
    EXPECT_EQ(flop(work.backward_input), 960);
    EXPECT_TRUE(work.backward_weight.empty());
    EXPECT_EQ(work.forward[0].elements, 40 + 24 + 60);
    const int feature = scores.loop("in_feature"), key = scores.loop("key");
    EXPECT_TRUE(scores.inputs[0].has(feature) && scores.inputs[1].has(feature) && !scores.output.has(feature));
    EXPECT_TRUE(!scores.inputs[0].has(key) && scores.inputs[1].has(key) && scores.output.has(key));
    EXPECT_EQ(scores.saved.size(), 2U);
}

TEST(BatchedMatmul, OfProbabilitiesAndValuesContractsKeys) {
    const Tensor probabilities = tensor({{"sequence", 10}, {"feature", 6}});
    const Nest mixed = nest("batched_matmul", {probabilities, kKeys});
    EXPECT_EQ(mixed.result, kQueries);
    const int key = mixed.loop("key");
    EXPECT_TRUE(mixed.inputs[0].has(key) && mixed.inputs[1].has(key) && !mixed.output.has(key));
    EXPECT_THROW(nest("batched_matmul", {kQueries, kKeys}), InputError);
}

TEST(BatchedMatmul, HasAProductForEachLeadingPosition) {
    const Tensor tables = tensor({{"table", 3}, {"lookup", 5}, {"feature", 4}});
    const Nest built = nest("batched_matmul", {tables, tables}, {{"transposed", true}});
    EXPECT_EQ(built.result, tensor({{"table", 3}, {"lookup", 5}, {"feature", 5}}));
    EXPECT_EQ(built.work(built.whole()).forward[0].batch, 3);
    EXPECT_EQ(built.loops[1].name, "table");
}

// torch.nn.AdaptiveLogSoftmaxWithLoss(16, 1000, [10, 100], div_value=4): head 16*12, then 16*4 + 4*90 and 16*1 + 1*900.
// Ten tokens, 20 % and 10 % in the tails: 2*(10*192 + 2*424 + 1*916) = 7368 flop.
TEST(AdaptiveSoftmax, WorksOnTheTailsOnlyForTheirShareOfTokens) {
    const Tensor words = tensor({{"sequence", 10}, {"feature", 16}});
    const Nest loss = nest("adaptive_softmax", {words}, clusters({10, 100}, {20, 10}));
    EXPECT_EQ(weights(loss), 192 + 424 + 916);
    EXPECT_EQ(loss.result, tensor({{"sequence", 10}}));
    const Work work = loss.work(loss.whole());
    EXPECT_DOUBLE_EQ(work.model_forward.in(unit::flop), 7368);
    EXPECT_DOUBLE_EQ(loss.saved[1].factor, 12 + 0.2 * 90 + 0.1 * 900) << "fp32 probabilities a token";
    EXPECT_DOUBLE_EQ(loss.saved[2].factor, 0.2 * (16 + 4) + 0.1 * (16 + 1));
    EXPECT_EQ(work.backward_weight.size(), 5U);
}

TEST(AdaptiveSoftmax, RefusesClustersThatDoNotFit) {
    const auto fault = [](const Values& values) {
        return faults(network(tensor({{"sequence", 10}, {"feature", 16}}), {layer("l", "adaptive_softmax", values)}));
    };
    EXPECT_EQ(fault(clusters({10, 100}, {20})), "l.tail_percent: a list of 1 for 2 clusters\n");
    EXPECT_EQ(fault(clusters({100, 10}, {20, 10})), "l.cutoffs: 100 is not before 10\n");
    EXPECT_EQ(fault(clusters({10, 1000}, {20, 10})), "l.cutoffs: 1000 is not before 1000\n");
    EXPECT_EQ(fault(clusters({10, 20}, {70, 40})), "l.tail_percent: 110 % of the tokens\n");
    EXPECT_EQ(fault(clusters({10, 20, 30}, {1, 1, 1})), "l.divide: 4 leaves no feature of 16 in cluster 3\n");
    EXPECT_EQ(fault({{"vocabulary", int64_t{9}}}), "l.cutoffs: missing\nl.tail_percent: missing\n");
    EXPECT_EQ(fault(clusters({0}, {1})), "l.cutoffs: 0 is out of range\n");
}

}  // namespace products_test
}  // namespace dodona::graph::test
