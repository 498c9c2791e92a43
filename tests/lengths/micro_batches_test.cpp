// What padding, buckets and packing make of a few lengths, by hand.
#include "lengths/micro_batches.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::lengths::testing {
namespace micro_batches_test {

/// Three of four samples have 2 tokens, one has 8.
Distribution few() { return Distribution({{2, 3}, {8, 1}}); }

TEST(MicroBatches, AreAsLongAsTheirLongestSample) {
    const Distribution lengths = few();
    const MicroBatches made = micro_batches({.lengths = lengths, .packing = Packing::pad, .row = 8, .samples = 2});
    // Both short: 9/16. Mean length 9/16 x 2 + 7/16 x 8 = 4.625; two samples of 3.5 tokens in 9.25 positions.
    EXPECT_NEAR(made.drawn.mean(), 4.625, 1e-12);
    EXPECT_NEAR(made.tokens, 7, 1e-12);
    EXPECT_NEAR(made.positions, 9.25, 1e-12);
    EXPECT_NEAR(made.padding(), 1 - 7 / 9.25, 1e-12);
    EXPECT_NEAR(made.tokens_deviation, std::sqrt(2 * 6.75), 1e-12) << "variance of a length: 19 - 3.5^2";
    EXPECT_NEAR(made.positions_deviation, 2 * 6 * std::sqrt(9.0 / 16 * 7 / 16), 1e-12);
    EXPECT_NEAR(made.squares, 2 * (9.0 / 16 * 4 + 7.0 / 16 * 64), 1e-12);
    EXPECT_NEAR(made.squares_deviation, 2 * 60 * std::sqrt(9.0 / 16 * 7 / 16), 1e-12);
}

TEST(MicroBatches, OfOneSampleHaveNoPadding) {
    const Distribution lengths = few();
    for (const Packing packing : {Packing::pad, Packing::bucket}) {
        const MicroBatches made = micro_batches({.lengths = lengths, .packing = packing, .row = 8, .samples = 1});
        EXPECT_EQ(made.padding(), 0);
        EXPECT_NEAR(made.squares, 19, 1e-12);
    }
}

TEST(MicroBatches, OfABucketAreOfALikeLength) {
    const Distribution lengths({{2, 3}, {3, 3}, {8, 2}});
    // Powers of two: 2, then 3 (up to 4), then 8: nothing is padded.
    EXPECT_EQ(powers_of_two(lengths), (std::vector<double>{2, 4}));
    EXPECT_NEAR(micro_batches({.lengths = lengths, .packing = Packing::bucket, .row = 8, .samples = 4}).padding(), 0,
                1e-12);
    // One edge at 3: of four samples of the first bucket all are of 2 tokens with 1/16.
    const MicroBatches made =
        micro_batches({.lengths = lengths, .packing = Packing::bucket, .row = 8, .samples = 4, .edges = {3}});
    EXPECT_NEAR(made.positions, 4 * (0.75 * (2.0 / 16 + 3 * 15.0 / 16) + 0.25 * 8), 1e-12);
    EXPECT_NEAR(made.tokens, 4 * (0.75 * 2.5 + 0.25 * 8), 1e-12);
}

TEST(MicroBatches, RowsArePackedFull) {
    const Distribution lengths = few();
    // 1,024 of 8 fill a row each, of the 3,072 of 2 four do: 1,792 rows without padding.
    const MicroBatches made = micro_batches({.lengths = lengths, .packing = Packing::pack, .row = 8, .samples = 3});
    EXPECT_NEAR(made.padding(), 0, 1e-12);
    EXPECT_NEAR(made.samples, 3 * 4096.0 / 1792, 1e-9);
    EXPECT_EQ(made.draws, 3);
    // Squares of a row: 64, or 4 x 4: attention as of samples of 8 or of 2 tokens.
    EXPECT_EQ(made.drawn.least(), 2);
    EXPECT_EQ(made.drawn.most(), 8);
    EXPECT_NEAR(made.squares, 3 * (64.0 * 1024 + 16 * 768) / 1792, 1e-9);
}

TEST(MicroBatches, RowsThatCannotBeFilledHavePadding) {
    const Distribution lengths({{6, 1}});
    const MicroBatches made = micro_batches({.lengths = lengths, .packing = Packing::pack, .row = 8, .samples = 1});
    EXPECT_NEAR(made.padding(), 0.25, 1e-12);
    EXPECT_NEAR(made.drawn.mean(), 36.0 / 8, 1e-12);
}

RC_GTEST_PROP(MicroBatches, PadLessInBucketsAndLeastInRows, ()) {
    const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 512)));
    std::vector<Share> shares;
    for (const int value : values) {
        shares.push_back({static_cast<double>(value), 1});
    }
    const Distribution lengths(shares);
    const auto samples = *rc::gen::inRange(1, 20);
    const auto made = [&](Packing packing) {
        return micro_batches({.lengths = lengths, .packing = packing, .row = 4096, .samples = samples});
    };
    const MicroBatches pad = made(Packing::pad);
    const MicroBatches bucket = made(Packing::bucket);
    RC_ASSERT(std::abs(pad.tokens - bucket.tokens) < 1e-6 * pad.tokens);
    RC_ASSERT(bucket.padding() <= pad.padding() + 1e-9);
    RC_ASSERT(pad.padding() >= -1e-9 && bucket.padding() < 0.5);  // powers of two: less than half
    RC_ASSERT(made(Packing::pack).padding() < 0.16);  // rows of eight samples and more; the last may be short
}

}  // namespace micro_batches_test
}  // namespace dodona::lengths::testing
