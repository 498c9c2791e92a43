// Operators of DLRM, with the numbers of its benchmark: 8 tables of 1e6 rows of 64, 100 look-ups, 2048 samples.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace recommendation_test {

using std::int64_t;

constexpr double kSamples = 2048;

Nest tables() {
    return nest("embedding_bag", {tensor({{"table", 8}, {"lookup", 100}}, Element::index)},
                {{"rows", int64_t{1'000'000}}, {"features", int64_t{64}}});
}

LocalExtents of_all_samples(const Nest& built) {
    LocalExtents local = built.whole();
    local.loops[0] = kSamples;
    return local;
}

// The gradient of all rows in fp32, 2.048e9 bytes, is set to zero before the look-ups' are added.
TEST(EmbeddingBag, MayHaveTheGradientOfAllRows) {
    const Nest bag =
        nest("embedding_bag", {tensor({{"table", 8}, {"lookup", 100}}, Element::index)},
             {{"rows", int64_t{1'000'000}}, {"features", int64_t{64}}, {"gradient", std::string("whole")}});
    EXPECT_EQ(bag.weights[0].changed(), 0) << "of all";
    EXPECT_EQ(bag.weights[0].touched, 51'200) << "of these a sample reads";
    const Work some = tables().work(of_all_samples(tables()));
    const Work all = bag.work(of_all_samples(bag));
    ASSERT_EQ(all.backward_weight.size(), some.backward_weight.size() + 1);
    EXPECT_EQ(all.backward_weight[0].fixed_bytes, 2.048e9 * unit::byte);
    EXPECT_EQ(tables().weights[0].changed(), 51'200);
}

// 8 * 1e6 * 64 * 4 = 2.048e9 bytes; a sample touches 8 * 100 * 64 numbers.
TEST(EmbeddingBag, HasOneWeightForAllTables) {
    const Nest bag = tables();
    EXPECT_EQ(weights(bag) * 4, 2.048e9);
    EXPECT_EQ(bag.weights[0].touched, 51'200);
    EXPECT_EQ(bag.result, tensor({{"table", 8}, {"feature", 64}}));
    EXPECT_EQ(bag.saved[0].element, Element::index);
}

// B*T*L*d*4 = 2048 * 8 * 100 * 64 * 4 = 419,430,400 bytes are looked up, 4,194,304 bytes of sums written; backward
// reads and writes as many as were looked up.
TEST(EmbeddingBag, ReadsARowALookUp) {
    const Nest bag = tables();
    const Work work = bag.work(of_all_samples(bag));
    ASSERT_EQ(work.forward.size(), 1U);
    EXPECT_EQ(work.forward[0].kind, KernelKind::gather);
    EXPECT_EQ(4 * work.forward[0].elements, 419'430'400.0 + 4'194'304);
    EXPECT_EQ(work.forward[0].fixed_bytes, Bytes::of_base(8 * kSamples * 800));
    EXPECT_EQ(4 * work.backward_weight[0].elements, 2 * 419'430'400.0 + 4'194'304);
    EXPECT_EQ(work.model_forward, Flop{});
}

TEST(EmbeddingBag, SplitsTablesLocallyAndRowsIntoPartialSums) {
    const Nest bag = tables();
    const int table = bag.loop("table"), row = bag.loop("row"), lookup = bag.loop("lookup");
    EXPECT_TRUE(bag.inputs[0].has(table) && bag.weights[0].operand.has(table) && bag.output.has(table));
    EXPECT_TRUE(bag.weights[0].operand.has(row) && !bag.inputs[0].has(row) && !bag.output.has(row));
    EXPECT_TRUE(bag.inputs[0].has(lookup) && !bag.output.has(lookup));
    LocalExtents part = of_all_samples(bag);
    part.loops[static_cast<std::size_t>(row)] /= 4;
    EXPECT_EQ(4 * bag.work(part).forward[0].elements, 419'430'400.0 / 4 + 4'194'304) << "its share of the look-ups";
}

// 10 + 20 + 60 rows of 4; 1 + 5 + 3 look-ups of a sample, which read 9 rows and write 3 sums.
TEST(EmbeddingBag, TakesTablesOfDifferentSizes) {
    Tensor ids = tensor({{"table", 3}}, Element::index);
    ids.dimensions.push_back(ragged("lookup", {1, 5, 3}));
    EXPECT_EQ(ids.elements(), 9);
    const Nest bag =
        nest("embedding_bag", {ids}, {{"rows", std::vector<int64_t>{10, 20, 60}}, {"features", int64_t{4}}});
    EXPECT_EQ(weights(bag), 90 * 4);
    EXPECT_DOUBLE_EQ(bag.weights[0].touched, 9 * 4);
    EXPECT_EQ(bag.result, tensor({{"table", 3}, {"feature", 4}}));
    const Kernel forward = bag.work(bag.whole()).forward[0];
    EXPECT_DOUBLE_EQ(forward.elements, 9 * 4 + 3 * 4);
    EXPECT_DOUBLE_EQ(forward.k, 90);
    EXPECT_FALSE(bag.loops[static_cast<std::size_t>(bag.loop("table"))].can_split) << "equal numbers, not equal parts";
    EXPECT_TRUE(bag.loops[static_cast<std::size_t>(bag.loop("row"))].can_split);
}

TEST(EmbeddingBag, RefusesRowsOfOtherTables) {
    const Tensor ids = tensor({{"table", 3}, {"lookup", 1}}, Element::index);
    const Values two{{"rows", std::vector<int64_t>{10, 20}}, {"features", int64_t{4}}};
    EXPECT_THROW(nest("embedding_bag", {ids}, two), InputError);
}

TEST(EmbeddingBag, RefusesExtentsThatItsIdsDoNotHave) {
    const Tensor ids = tensor({{"table", 8}, {"lookup", 100}}, Element::index);
    const Values table{{"rows", int64_t{10}}, {"features", int64_t{4}}, {"tables", int64_t{9}}};
    EXPECT_EQ(faults(network(ids, {layer("bag", "embedding_bag", table)})), "bag.tables: 9, but the ids are of 8\n");
    const Tensor words = tensor({{"sequence", 8}}, Element::index);
    EXPECT_THROW(nest("embedding_bag", {words}, {{"rows", int64_t{10}}, {"features", int64_t{4}}}), InputError);
}

// n = 9 vectors: 9*8/2 = 36 pairs and 64 dense features, 100 in all; 2*64*36 flop are needed, the product does 2*64*81.
TEST(Interaction, HasTheWidthOfDlrmsTopNetwork) {
    const Tensor dense = tensor({{"feature", 64}});
    const Nest cross = nest("interaction", {dense, tables().result});
    EXPECT_EQ(cross.result, tensor({{"feature", 100}}));
    EXPECT_EQ(nest("interaction", {dense, tables().result}, {{"self", true}}).result, tensor({{"feature", 109}}));
    const Work work = cross.work(cross.whole());
    EXPECT_EQ(work.model_forward.in(unit::flop), 2 * 64 * 36);
    EXPECT_EQ(work.forward[1].flops.in(unit::flop), 2 * 64 * 81);
    EXPECT_EQ(work.forward[0].elements, 2 * 9 * 64);
    EXPECT_EQ(work.forward[2].elements, 2 * 36);
    EXPECT_EQ(work.forward[3].elements, 2 * 100);
    EXPECT_EQ(work.backward_input.size(), 7U);
    EXPECT_EQ(cross.saved[0].factor, 9 * 64);
    EXPECT_THROW(nest("interaction", {tensor({{"feature", 32}}), tables().result}), InputError);
}

// The 9 vectors of 64 are read once and 100 numbers written; backward reads both and writes 9 gradients of 64.
TEST(Interaction, IsOneKernelAPassWhereItIsFused) {
    const Tensor dense = tensor({{"feature", 64}});
    const Nest steps = nest("interaction", {dense, tables().result});
    const Nest fused = nest("interaction", {dense, tables().result}, {{"fused", std::int64_t{1}}});
    EXPECT_EQ(fused.result, steps.result);
    const Work work = fused.work(fused.whole());
    ASSERT_EQ(work.forward.size(), 1U);
    EXPECT_EQ(work.forward[0].elements, 9 * 64 + 100);
    ASSERT_EQ(work.backward_input.size(), 1U);
    EXPECT_EQ(work.backward_input[0].elements, 2 * 9 * 64 + 100);
    EXPECT_EQ(work.model_forward, steps.work(steps.whole()).model_forward);
}

}  // namespace recommendation_test
}  // namespace dodona::graph::test
