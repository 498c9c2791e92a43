// Measured settings beside predicted ones: which pairs are told apart, how they are ranked, what the guideline beats.
#include <gtest/gtest.h>

#include "threads/measured_settings.hpp"

namespace dodona::threads {
namespace measured_settings_test {

/// A grid of two workers and two threads with these times, and a guideline.
Prediction predicted_times(Seconds of_11, Seconds of_12, Seconds of_21, Seconds of_22, Setting guideline) {
    Prediction prediction;
    prediction.most = 2;
    prediction.grid = {{{1, 1}, of_11}, {{1, 2}, of_12}, {{2, 1}, of_21}, {{2, 2}, of_22}};
    prediction.guideline = {guideline, *predicted(prediction, guideline)};
    return prediction;
}

MeasuredSetting around(std::int64_t workers, std::int64_t threads, Seconds median, Seconds spread) {
    return {.setting = {workers, threads}, .lower = median - spread, .median = median, .upper = median + spread};
}

/// Quartiles of 1 ... 5 by linear interpolation are 2, 3 and 4.
TEST(MeasuredSettings, HaveQuartiles) {
    const MeasuredSetting made = measured_setting({1, 1}, {5_s, 1_s, 4_s, 2_s, 3_s});
    EXPECT_EQ(made.lower, 2_s);
    EXPECT_EQ(made.median, 3_s);
    EXPECT_EQ(made.upper, 4_s);
    EXPECT_EQ(measured_setting({1, 1}, {7_s}).upper, 7_s);
}

/// Of six pairs, (1,2) and (2,1) overlap. Of the five others the prediction has (2,2) before (1,2) and (2,1), which is
/// wrong twice, and ties (1,1) with (2,2), which counts half: 2.5 / 5.
TEST(MeasuredSettings, AreRankedByPairsThatTheNoiseTellsApart) {
    const Prediction prediction = predicted_times(10_s, 12_s, 13_s, 10_s, {2, 1});
    const std::vector<MeasuredSetting> measured{around(1, 1, 5_s, 1_s), around(1, 2, 10_s, 1_s),
                                                around(2, 1, 11_s, 1_s), around(2, 2, 20_s, 1_s)};
    const Agreement found = agreement(prediction, measured);
    EXPECT_EQ(found.pairs, 6U);
    EXPECT_EQ(found.distinguished, 5U);
    EXPECT_DOUBLE_EQ(found.ranked, 0.5);
}

TEST(MeasuredSettings, SayWhatTheGuidelineBeats) {
    const Prediction prediction = predicted_times(10_s, 12_s, 13_s, 14_s, {2, 1});
    const Agreement found = agreement(prediction, {around(1, 1, 5_s, 1_s), around(1, 2, 10.5_s, 1_s),
                                                   around(2, 1, 11_s, 1_s), around(2, 2, 20_s, 1_s)});
    ASSERT_TRUE(found.guideline.has_value());
    EXPECT_EQ(found.guideline->median, 11_s);
    EXPECT_EQ(found.others, 3U);
    EXPECT_EQ(found.slower, 1U) << "only (2, 2)";
    EXPECT_EQ(found.faster, 1U) << "(1, 1); (1, 2) is within the noise";
    EXPECT_EQ(found.fastest.setting, (Setting{1, 1}));
}

TEST(MeasuredSettings, OutsideTheGridAreNotRanked) {
    const Prediction prediction = predicted_times(10_s, 12_s, 13_s, 14_s, {2, 1});
    const Agreement found = agreement(prediction, {around(1, 1, 5_s, 1_s), around(8, 1, 50_s, 1_s)});
    EXPECT_EQ(found.pairs, 0U);
    EXPECT_FALSE(found.guideline.has_value()) << "it was not measured";
    EXPECT_FALSE(predicted(prediction, {8, 1}).has_value());
}

}  // namespace measured_settings_test
}  // namespace dodona::threads
