#include <gtest/gtest.h>

#include "calibrate/record/exchange.hpp"
#include "calibrate/record/sampling.hpp"

namespace dodona::calibrate {
namespace sampling_test {

TEST(Sampling, EqualSamplesStopAtTheFewest) {
    const Statistics statistics = sample({}, [] { return Timed{.time = 3_us}; });
    EXPECT_EQ(statistics.samples, kFewest);
    EXPECT_EQ(statistics.value(), 3_us);
}

TEST(Sampling, RejectedSamplesAreCountedAndDoNotCount) {
    int taken = 0;
    const Statistics statistics = sample(
        {}, [&] { return ++taken % 3 == 0 ? Timed{.time = 100_us, .rejected = "throttled"} : Timed{.time = 3_us}; });
    EXPECT_EQ(statistics.third_quartile, 3_us);
    EXPECT_EQ(statistics.samples, kFewest);
    EXPECT_EQ(statistics.rejected.at("throttled"), 4);
}

TEST(Sampling, ItGoesOnWhileTheSpreadStillGrows) {
    int taken = 0;  // the middle half widens until the fiftieth sample, then all are alike
    const Statistics statistics = sample({.limit = 60_s}, [&] {
        ++taken;
        return Timed{.time = (taken < 50 ? 100.0 * taken : 2500.0) * 1_us};
    });
    EXPECT_GT(statistics.samples, 12);
    EXPECT_LT(statistics.samples, 10'000);
}

TEST(Sampling, QuartilesOfOneToFive) {
    int taken = 0;
    const Statistics statistics = sample({.fewest = 5, .most = 5}, [&] { return Timed{.time = 1_us * ++taken}; });
    EXPECT_DOUBLE_EQ(statistics.first_quartile.in(1_us), 2);
    EXPECT_DOUBLE_EQ(statistics.median.in(1_us), 3);
    EXPECT_DOUBLE_EQ(statistics.third_quartile.in(1_us), 4);
    EXPECT_EQ(statistics.least, 1_us);
}

TEST(Sampling, WhereNothingCountsItSaysWhy) {
    EXPECT_THROW(static_cast<void>(sample({.most = 20}, [] { return Timed{.time = 1_us, .rejected = "throttled"}; })),
                 CannotMeasure);
}

}  // namespace sampling_test
}  // namespace dodona::calibrate
