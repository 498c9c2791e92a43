// Which pairs of queries and keys attention works on: masks, windows, packed documents, memories, and split queries.
#include <cmath>

#include <gtest/gtest.h>

#include "graph/operators/attention_kernels.hpp"
#include "networks.hpp"

namespace dodona::graph::test {

namespace attention_masks_test {

/// One head over `queries` queries and `keys` keys, split in `ways` shards.
struct Scene {
    AttentionShape shape;
    LocalExtents local;

    explicit Scene(double queries, double ways = 1, ShardOrder order = ShardOrder::zigzag, double keys = 0) {
        shape = {.head = 1, .query = 2, .key = 3};
        shape.queries = queries;
        shape.keys = keys > 0 ? keys : queries;
        shape.key_size = shape.value_size = 64;
        shape.causal = true;
        local.loops = {1, 1, queries / ways, shape.keys};
        local.ways = {1, 1, ways, 1};
        local.order = order;
    }
    [[nodiscard]] double pairs() const { return attention_pairs(local, shape); }
};

/// Pairs of queries in (from, to], each counted: query i of n sees memory + i keys, less the half of its own.
double counted(double from, double to, double memory, double window) {
    double pairs = 0;
    for (double i = from; i < to; ++i) {
        const double seen = memory + i + 0.5;
        pairs += window > 0 ? std::min(seen, window) : seen;
    }
    return pairs;
}

double flop(Flop f) { return f.in(unit::flop); }

TEST(CausalPairs, AreHalfTheSquare) { EXPECT_DOUBLE_EQ(Scene(1024).pairs(), 1024.0 * 1024 / 2); }

// The last of p contiguous shards has s/p queries that see all keys but half of its own: s^2/p (1 - 1/(2p)), which is
// 2 - 1/p times the mean s^2/(2p).
TEST(CausalPairs, OfContiguousShardsAreWorstForTheLast) {
    for (const double p : {2.0, 3.0, 4.0, 8.0, 64.0}) {
        const double even = Scene(4096 * 3, p).pairs();
        const double uneven = Scene(4096 * 3, p, ShardOrder::contiguous).pairs();
        EXPECT_DOUBLE_EQ(even, Scene(4096 * 3).pairs() / p);
        EXPECT_DOUBLE_EQ(uneven / even, 2 - 1 / p) << p;
    }
}

TEST(CausalPairs, OfAWindowAreCountedOneByOne) {
    for (const double window : {1.0, 7.0, 128.0, 1000.0}) {
        Scene scene(1000);
        scene.shape.window = window;
        EXPECT_NEAR(scene.pairs(), counted(0, 1000, 0, window), 0.126) << window;
        Scene split(1000, 4, ShardOrder::contiguous);
        split.shape.window = window;
        EXPECT_NEAR(split.pairs(), counted(750, 1000, 0, window), 0.126) << window;
    }
}

TEST(CausalPairs, ReachBackIntoAMemory) {
    EXPECT_DOUBLE_EQ(Scene(192, 1, ShardOrder::zigzag, 384).pairs(), counted(0, 192, 192, 0));
    EXPECT_DOUBLE_EQ(Scene(192, 1, ShardOrder::zigzag, 384).pairs(), 192.0 * 192 + 192.0 * 192 / 2);
}

TEST(CausalPairs, StayInsideTheirDocument) {
    Scene packed(512);
    packed.shape.documents = 2;
    EXPECT_DOUBLE_EQ(packed.pairs(), 2 * Scene(256).pairs());
    // Shards of half a document: the one with its end counts.
    Scene split(512, 4, ShardOrder::contiguous);
    split.shape.documents = 2;
    EXPECT_DOUBLE_EQ(split.pairs(), Scene(256, 2, ShardOrder::contiguous).pairs());
    // Shards of whole documents are even.
    Scene whole(512, 2, ShardOrder::contiguous);
    whole.shape.documents = 4;
    EXPECT_DOUBLE_EQ(whole.pairs(), 2 * Scene(128).pairs());
}

TEST(Pairs, WithoutAMaskAreEvenInAnyOrder) {
    Scene scene(512, 4, ShardOrder::contiguous);
    scene.shape.causal = false;
    EXPECT_DOUBLE_EQ(scene.pairs(), 128.0 * 512);
    scene.shape.documents = 2;
    EXPECT_DOUBLE_EQ(scene.pairs(), 128.0 * 256);
    scene.shape.window = 10;
    EXPECT_DOUBLE_EQ(scene.pairs(), 128.0 * 10);
}

// DeepSeek-V3: 128 heads, keys of 128 features of their own and 64 shared, values of 128.
TEST(LatentAttention, SharesAPartOfTheKeysAmongHeads) {
    const Tensor q = tensor({{"sequence", 4096}, {"feature", 128 * 192}});
    const Tensor kv = tensor({{"sequence", 4096}, {"feature", 128 * 128}});
    const Tensor shared = tensor({{"sequence", 4096}, {"feature", 64}});
    const Nest built = nest("attention", {q, kv, kv, shared}, {{"heads", std::int64_t{128}}, {"causal", true}});
    EXPECT_EQ(built.result, kv);
    const Work work = built.work(built.whole());
    EXPECT_EQ(flop(work.model_forward), 128 * 4096.0 * 4096 * (192 + 128));
    EXPECT_EQ(work.forward[0].elements, 4096.0 * (128 * (192 + 128) + 128 * (128 + 128) + 64));
    EXPECT_FALSE(built.inputs[3].has(built.loop("head")));
    EXPECT_THROW(nest("attention", {q, kv, kv, kv}, {{"heads", std::int64_t{128}}}), InputError);
}

// T5-small's encoder: 8 heads of 64 over 512 tokens, scores for 32 buckets. S + B is one more pass forward, the sum of dS
// over the samples one more backward; the layer that looks the scores up has the table.
TEST(DistanceScores, AddOnePassForwardAndOneBackwardAndOneTable) {
    const Tensor x = tensor({{"sequence", 512}, {"feature", 512}});
    const Values plain{{"heads", std::int64_t{8}}, {"implementation", std::string("materialised")}};
    Values values = plain;
    values["distances"] = std::int64_t{32};
    const Nest first = nest("attention", {x, x, x}, values);
    EXPECT_EQ(weights(first), 32 * 8);
    EXPECT_TRUE(first.weights[0].operand.has(first.loop("head"))) << "heads over devices split the table";
    values["tied_distances"] = true;
    const Nest later = nest("attention", {x, x, x}, values);
    EXPECT_EQ(weights(later), 0);

    const auto moved = [](const std::vector<Kernel>& kernels) {
        double sum = 0;
        for (const Kernel& kernel : kernels) {
            sum += kernel.elements;
        }
        return sum;
    };
    LocalExtents extents = later.whole();
    extents.loops[0] = 4;  // samples
    const Work without = nest("attention", {x, x, x}, plain).work(extents);
    const Work with = later.work(extents);
    const double square = 8.0 * 512 * 512;
    EXPECT_EQ(moved(with.forward) - moved(without.forward), (2 * 4 + 1) * square);
    EXPECT_EQ(moved(with.backward_input) - moved(without.backward_input), (4 + 2) * square);
    EXPECT_EQ(moved(first.work(extents).forward) - moved(with.forward), 2 * square) << "looked up once for all samples";
    EXPECT_EQ(with.model_forward, without.model_forward);
    values["implementation"] = std::string("fused");
    EXPECT_THROW(nest("attention", {x, x, x}, values), InputError);
}

// Transformer-XL base: 8 heads of 64 over 192 tokens and as many in memory. Positions: 384 x 512 x 512 once, and one
// more product over the square.
TEST(RelativeAttention, AddsScoresOfPositions) {
    const Tensor q = tensor({{"sequence", 192}, {"feature", 512}});
    const Tensor kv = tensor({{"sequence", 384}, {"feature", 512}});
    const Values plain{{"heads", std::int64_t{8}}, {"causal", true}, {"implementation", std::string("materialised")}};
    Values values = plain;
    values["relative"] = true;
    const Nest built = nest("attention", {q, kv, kv}, values);
    EXPECT_EQ(weights(built), 512 * 512 + 2 * 512);
    const auto products = [](const std::vector<Kernel>& kernels) {
        double sum = 0;
        for (const Kernel& kernel : kernels) {
            sum += kernel.kind == KernelKind::matmul ? flop(kernel.flops) : 0;
        }
        return sum;
    };
    const Work work = built.work(built.whole());
    const Work without = nest("attention", {q, kv, kv}, plain).work(built.whole());
    const double square = 2.0 * 8 * 192 * 384 * 64;
    const double positions = 2.0 * 384 * 512 * 512;
    EXPECT_EQ(products(work.forward) - products(without.forward), square + positions);
    EXPECT_EQ(products(work.backward_input) - products(without.backward_input), 2 * square);
    EXPECT_EQ(products(work.backward_weight), positions);
    values["implementation"] = std::string("fused");
    EXPECT_THROW(nest("attention", {q, kv, kv}, values), InputError);
}

// DeBERTaV3-small: 12 heads of 64 over 512 tokens, 512 rows of distances. Rows have keys and queries, 512 x 768 x 768 each for
// all samples; each sample two more products of 512 x 512 x 64 a head, twice that backward.
TEST(DisentangledAttention, AddsProductsWithRowsOfDistances) {
    const Tensor x = tensor({{"sequence", 512}, {"feature", 768}});
    const Values plain{{"heads", std::int64_t{12}}, {"implementation", std::string("materialised")}};
    Values values = plain;
    values["disentangled"] = std::int64_t{512};
    const Nest first = nest("attention", {x, x, x}, values);
    EXPECT_EQ(weights(first), 512 * 768 + 2 * 768) << "the rows and their norm";
    values["tied_distances"] = true;
    const Nest later = nest("attention", {x, x, x}, values);
    EXPECT_EQ(weights(later), 0);
    const auto products = [](const std::vector<Kernel>& kernels) {
        double sum = 0;
        for (const Kernel& kernel : kernels) {
            sum += kernel.kind == KernelKind::matmul ? flop(kernel.flops) : 0;
        }
        return sum;
    };
    LocalExtents extents = later.whole();
    extents.loops[0] = 4;  // samples
    const Work with = later.work(extents);
    const Work without = nest("attention", {x, x, x}, plain).work(extents);
    const double square = 2.0 * 4 * 12 * 512 * 512 * 64;
    const double rows = 2.0 * 512 * 768 * 768;
    EXPECT_EQ(products(with.forward) - products(without.forward), 2 * square + 2 * rows);
    EXPECT_EQ(products(with.backward_input) - products(without.backward_input), 4 * square);
    EXPECT_EQ(products(with.backward_weight), 4 * rows) << "of the two projections, and of the rows";
    EXPECT_EQ(flop(with.model_forward - without.model_forward), 2 * square);
    values["implementation"] = std::string("fused");
    EXPECT_THROW(nest("attention", {x, x, x}, values), InputError);
}

TEST(Attention, RefusesMoreDocumentsThanTokensAndPackedMemories) {
    const Tensor q = tensor({{"sequence", 8}, {"feature", 8}});
    const Tensor longer = tensor({{"sequence", 12}, {"feature", 8}});
    EXPECT_THROW(nest("attention", {q, q, q}, {{"heads", std::int64_t{2}}, {"documents", std::int64_t{9}}}),
                 InputError);
    EXPECT_THROW(nest("attention", {q, longer, longer}, {{"heads", std::int64_t{2}}, {"documents", std::int64_t{2}}}),
                 InputError);
}

}  // namespace attention_masks_test
// DeepSeek-V3.2's indexer at 8,192 positions: 64 heads of 128 features score all pairs before a query, and 2,048 of them are
// attended to.
TEST(Indexer, ScoresAllPairsAndAttentionSeesTheChosen) {
    const Extent length = 8192;
    const auto tokens = [&](Extent features) { return tensor({{"sequence", length}, {"feature", features}}); };
    const Values windowed{{"heads", std::int64_t{16}}, {"causal", true}, {"window", std::int64_t{2048}}};
    Values indexed = windowed;
    indexed["index_heads"] = std::int64_t{64};
    const Tensor q = tokens(16 * 128);
    const Nest with = nest("attention", {q, q, q, tokens(64 * 128), tokens(128), tokens(64)}, indexed);
    const Nest without = nest("attention", {q, q, q}, windowed);
    EXPECT_EQ(weights(with), 0) << "its projections are layers of their own";
    EXPECT_EQ(with.inputs.size(), 6U);
    EXPECT_FALSE(with.inputs[3].has(with.loop("head"))) << "whole on each rank of a tensor group";
    const Work work = with.work(with.whole());
    const Work attention = without.work(without.whole());
    const double pairs = 8192.0 * 8192 / 2;
    EXPECT_EQ((work.model_forward - attention.model_forward).in(unit::flop), 2 * pairs * 64 * 128);
    EXPECT_EQ(work.forward[0].fixed_bytes, 4 * pairs * unit::byte) << "a score a pair";
    EXPECT_EQ(work.forward.size(), attention.forward.size() + 2);
    // Backward: three products of the chosen pairs, 2,048 a query once so many keys are there.
    const double chosen = 2048.0 * 2048 / 2 + 2048.0 * (8192 - 2048);
    EXPECT_EQ(work.backward_input.back().flops.in(unit::flop), 3 * 2 * chosen * 64 * 128);
    // Keys of compressed tokens are fewer.
    const Tensor quarter = tensor({{"sequence", length / 4}, {"feature", 128}});
    const Nest compressed = nest("attention", {q, q, q, tokens(64 * 128), quarter, tokens(64)}, indexed);
    EXPECT_EQ(compressed.work(compressed.whole()).forward[0].fixed_bytes, pairs * unit::byte);
    EXPECT_THROW(nest("attention", {q, q, q, tokens(64 * 128), tokens(128), tokens(64)}, windowed), InputError);
    EXPECT_THROW(nest("attention", {q, q, q, tokens(64 * 128), tokens(64), tokens(64)}, indexed), InputError);
    indexed.erase("window");
    EXPECT_THROW(nest("attention", {q, q, q, tokens(64 * 128), tokens(128), tokens(64)}, indexed), InputError);
}

}  // namespace dodona::graph::test
