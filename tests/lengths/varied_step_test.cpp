// Steps whose micro-batches differ in length, by hand.
#include "lengths/varied_step.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace dodona::lengths::testing {
namespace varied_step_test {

/// A step takes a second for each position of its samples and a fifth of a second beside.
const std::vector<TimedLength> kTimed{{2, 2.2_s}, {4, 4.2_s}, {8, 8.2_s}};

double seconds(Seconds time) { return time.in(unit::second); }

TEST(VariedStep, IsLinearBetweenWhatWasTimed) {
    EXPECT_NEAR(seconds(step_at(kTimed, 3)), 3.2, 1e-12);
    EXPECT_NEAR(seconds(step_at(kTimed, 8)), 8.2, 1e-12);
    EXPECT_NEAR(seconds(step_at(kTimed, 1)), 1.2, 1e-12) << "along the last line";
    EXPECT_NEAR(seconds(step_at({{4, 4.2_s}}, 1)), 4.2, 1e-12);
}

/// Half of the samples have 2 tokens, half 8; one sample a micro-batch.
MicroBatches halves() {
    const Distribution lengths({{2, 1}, {8, 1}});
    return micro_batches({.lengths = lengths, .packing = Packing::pad, .row = 8, .samples = 1});
}

TEST(VariedStep, WaitsForTheSlowestReplica) {
    // Two replicas of one micro-batch: 2.2 with 1/4, else 8.2.
    const VariedStep made = varied_step(halves(), kTimed, {.replicas = 2, .together = 1, .micro_batches = 1});
    EXPECT_NEAR(seconds(made.even), 5.2, 1e-12);
    EXPECT_NEAR(seconds(made.deviation), 3, 1e-12);
    EXPECT_NEAR(seconds(made.slowest), 2.2 / 4 + 8.2 * 3 / 4, 1e-12);
    EXPECT_NEAR(made.samples, 2, 1e-12);
    EXPECT_NEAR(made.tokens, 10, 1e-12);
    EXPECT_NEAR(made.tokens_per_second(), 10 / (2.2 / 4 + 8.2 * 3 / 4), 1e-12);
}

TEST(VariedStep, EvensOutOverMicroBatches) {
    // Two micro-batches: 2.2, 5.2 (twice as often) or 8.2, each pass half of its step.
    const VariedStep made = varied_step(halves(), kTimed, {.replicas = 2, .together = 1, .micro_batches = 2});
    EXPECT_NEAR(seconds(made.even), 5.2, 1e-12);
    EXPECT_NEAR(seconds(made.deviation), 3 / std::sqrt(2), 1e-12);
    EXPECT_NEAR(seconds(made.slowest), (2.2 * 1 + 5.2 * 8 + 8.2 * 7) / 16, 1e-12);
    const VariedStep many = varied_step(halves(), kTimed, {.replicas = 2, .together = 1, .micro_batches = 64});
    EXPECT_LT(many.imbalance(), made.imbalance());
}

TEST(VariedStep, RanksThatShareLayersWaitInEveryPass) {
    const VariedStep apart = varied_step(halves(), kTimed, {.replicas = 2, .together = 1, .micro_batches = 2});
    const VariedStep together = varied_step(halves(), kTimed, {.replicas = 1, .together = 2, .micro_batches = 2});
    EXPECT_NEAR(seconds(together.slowest), 2.2 / 4 + 8.2 * 3 / 4, 1e-12) << "each pass as the longer of two";
    EXPECT_GT(together.slowest, apart.slowest);
}

TEST(VariedStep, OfARowIsItsAttention) {
    // Rows of 8: one sample of 8, or four of 2; two rows a micro-batch.
    const Distribution lengths({{2, 4}, {8, 1}});
    const MicroBatches rows = micro_batches({.lengths = lengths, .packing = Packing::pack, .row = 8, .samples = 2});
    const VariedStep made = varied_step(rows, kTimed, {.replicas = 1, .together = 1, .micro_batches = 1});
    const double mean = rows.drawn.mean();
    EXPECT_NEAR(mean, 5, 0.01) << "half of the rows are of 8";
    EXPECT_NEAR(seconds(made.even), mean + 0.2, 1e-9);
    EXPECT_NEAR(seconds(made.slowest), mean + 0.2, 1e-9) << "one rank waits for nobody";
}

TEST(VariedStep, LengthsToTimeAreFew) {
    EXPECT_EQ(padded_lengths(Distribution({{5, 1}, {70, 1}})), (std::vector<std::int64_t>{5, 70}));
    std::vector<Share> all;
    for (int i = 1; i <= 4096; ++i) {
        all.push_back({static_cast<double>(i), 1});
    }
    const std::vector<std::int64_t> lengths = padded_lengths(Distribution(all));
    EXPECT_LE(lengths.size(), kMaxTimed);
    EXPECT_EQ(lengths.front(), 1);
    EXPECT_EQ(lengths.back(), 4096);
    EXPECT_EQ(samples_in_row(Distribution({{100, 1}}), 1000), (std::vector<std::int64_t>{1, 2, 4, 8, 20}));
    EXPECT_EQ(samples_in_row(Distribution({{900, 1}}), 1000), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(samples_in_row(Distribution({{1000, 1}}), 1000), (std::vector<std::int64_t>{1}));
}

}  // namespace varied_step_test
}  // namespace dodona::lengths::testing
