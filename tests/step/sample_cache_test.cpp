// Samples from afar, from disks and from memory over three epochs, by hand.
#include "step/sample_cache.hpp"

#include <gtest/gtest.h>

namespace dodona::step::testing {
namespace sample_cache_test {

/// A million samples of 100 kB, 600 kB as tensors: 100 GB, 25 GB on each of four nodes. 0.5, 2 and 30 GB/s.
std::vector<cluster::SampleTier> three_tiers() {
    return {{.name = "remote", .bandwidth = 0.5_GB_per_s},
            {.name = "ssd", .memory = 1e12 * unit::byte, .bandwidth = 2_GB_per_s},
            {.name = "memory", .memory = 150e9 * unit::byte, .bandwidth = 30_GB_per_s, .decoded = true}};
}

SampleCacheQuestion question(const std::vector<cluster::SampleTier>& tiers) {
    return {.tiers = tiers,
            .samples = 1e6,
            .sample = 100e3 * unit::byte,
            .tensors = 600e3 * unit::byte,
            .nodes = 4,
            .batch = 4000,
            .epochs = 4,
            .step = 0.15_s,
            .input = {.prefetched = true}};
}

double ms(Seconds time) { return 1e3 * time.in(unit::second); }

TEST(SampleCache, ReadsFromAFasterTierInEveryEpoch) {
    const auto tiers = three_tiers();
    const auto epochs = epoch_inputs(question(tiers));
    ASSERT_EQ(epochs.size(), 4U);
    // A node reads 1,000 samples a step: 100 MB, or 600 MB of tensors.
    EXPECT_NEAR(ms(epochs[0].reading), 200, 1e-9);
    EXPECT_NEAR(ms(epochs[1].reading), 50, 1e-9);
    EXPECT_NEAR(ms(epochs[2].reading), 20, 1e-9);
    EXPECT_NEAR(ms(epochs[3].reading), 20, 1e-9) << "there is no faster one";
    EXPECT_NEAR(ms(epochs[0].exposed), 50, 1e-9) << "200 behind a step of 150";
    EXPECT_EQ(epochs[1].exposed, Seconds{});
    EXPECT_NEAR(epochs[0].steps, 250, 1e-9);
    EXPECT_NEAR(ms(epochs[0].time), 250 * 200, 1e-6);
}

TEST(SampleCache, KeepsWhatItHasRoomFor) {
    auto tiers = three_tiers();
    tiers[1].memory = 10e9 * unit::byte;  // of 25
    tiers[2].memory = 30e9 * unit::byte;  // of 150
    const auto epochs = epoch_inputs(question(tiers));
    ASSERT_EQ(epochs[1].tiers.size(), 2U);
    EXPECT_NEAR(epochs[1].tiers[1].share, 0.4, 1e-12);
    EXPECT_NEAR(ms(epochs[1].reading), 0.6 * 200, 1e-9) << "the rest from afar, at the same time";
    ASSERT_EQ(epochs[2].tiers.size(), 3U);
    EXPECT_NEAR(epochs[2].tiers[2].share, 0.2, 1e-12);
    EXPECT_NEAR(epochs[2].tiers[1].share, 0.4, 1e-12);
    EXPECT_NEAR(ms(epochs[2].reading), 0.4 * 200, 1e-9);
}

TEST(SampleCache, HasRoomForAllWhereNoneIsNamed) {
    auto tiers = three_tiers();
    tiers[0].memory = 1e9 * unit::byte;  // the data set itself is all there
    tiers[1] = {.name = "ssd", .bandwidth = 2_GB_per_s};
    const auto epochs = epoch_inputs(question(tiers));
    ASSERT_EQ(epochs[0].tiers.size(), 1U);
    EXPECT_EQ(epochs[0].tiers[0].share, 1);
    ASSERT_EQ(epochs[1].tiers.size(), 1U) << "nothing is left to be read from afar";
    EXPECT_EQ(epochs[1].tiers[0].tier, 1U);
    EXPECT_EQ(epochs[1].tiers[0].share, 1);
}

TEST(SampleCache, SharesWhatAllNodesReadTogether) {
    auto tiers = three_tiers();
    tiers[0].system = 1_GB_per_s;  // a quarter for each
    EXPECT_NEAR(ms(epoch_inputs(question(tiers))[0].reading), 400, 1e-9);
}

TEST(SampleCache, LeavesOutATierThatIsSlower) {
    auto tiers = three_tiers();
    tiers[1].bandwidth = 0.4_GB_per_s;
    EXPECT_NEAR(ms(epoch_inputs(question(tiers))[1].reading), 20, 1e-9) << "memory is filled at once";
    tiers[1].bandwidth = tiers[0].bandwidth;
    EXPECT_NEAR(ms(epoch_inputs(question(tiers))[1].reading), 20, 1e-9) << "as fast is not faster";
}

TEST(SampleCache, DecodesWhatIsNotKeptDecoded) {
    const auto tiers = three_tiers();
    SampleCacheQuestion asked = question(tiers);
    asked.input.decoding = 0.12_s;
    const auto epochs = epoch_inputs(asked);
    EXPECT_NEAR(ms(epochs[1].decoding), 120, 1e-9);
    EXPECT_EQ(epochs[2].decoding, Seconds{});
    EXPECT_GT(epochs[1].exposed, epochs[2].exposed);
    // The step waits for the host, and storage goes on meanwhile: 200 ms of reading take 50 more than the step in all.
    EXPECT_NEAR(ms(epochs[0].exposed), 50, 1e-9);
}

TEST(SampleCache, ShowsAllOfItWithoutReadingAhead) {
    const auto tiers = three_tiers();
    SampleCacheQuestion asked = question(tiers);
    asked.input.prefetched = false;
    EXPECT_NEAR(ms(epoch_inputs(asked)[1].step), 200, 1e-9);
}

}  // namespace sample_cache_test
}  // namespace dodona::step::testing
