// Sums and maxima of independent draws, by hand.
#include "lengths/distribution.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::lengths::testing {
namespace distribution_test {

TEST(Distribution, SharesAddUpToOneAndEqualValuesAreOne) {
    const Distribution made({{4, 1}, {2, 1}, {4, 2}});
    ASSERT_EQ(made.shares().size(), 2U);
    EXPECT_EQ(made.shares()[0].value, 2);
    EXPECT_EQ(made.shares()[1].share, 0.75);
    EXPECT_EQ(made.mean(), 3.5);
    EXPECT_EQ(made.square_mean(), 13);
    EXPECT_NEAR(made.deviation(), std::sqrt(13 - 3.5 * 3.5), 1e-12);
    EXPECT_EQ(made.quantile(0.25), 2);
    EXPECT_EQ(made.quantile(0.26), 4);
}

/// Two dice: 2 to 12; the larger one is 6 with 11 of 36.
TEST(Distribution, OfTwoDice) {
    const Distribution die({{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}});
    const Distribution sum = die.sum_of(2);
    ASSERT_EQ(sum.shares().size(), 11U);
    EXPECT_NEAR(sum.shares()[5].share, 6.0 / 36, 1e-12) << "seven";
    const Distribution larger = die.largest_of(2);
    EXPECT_NEAR(larger.shares()[5].share, 11.0 / 36, 1e-12);
    EXPECT_NEAR(larger.mean(), 161.0 / 36, 1e-12);
}

/// The largest of 8 sums of many draws is that of 8 normal ones: 1.4236 deviations above the mean (Tippett 1925).
TEST(Distribution, ManyDrawsAreNormal) {
    const Distribution coin({{0, 1}, {1, 1}});
    const Distribution sum = coin.sum_of(4096);
    EXPECT_NEAR(sum.mean(), 2048, 1e-6);
    EXPECT_NEAR(sum.deviation(), 32, 0.2);
    EXPECT_NEAR((sum.largest_of(8).mean() - sum.mean()) / sum.deviation(), 1.4236, 0.01);
}

RC_GTEST_PROP(Distribution, SumsKeepMeansAndAddVariances, ()) {
    const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 10'000)));
    const auto n = *rc::gen::inRange(1, 40);
    std::vector<Share> shares;
    for (const int value : values) {
        shares.push_back({static_cast<double>(value), 1});
    }
    const Distribution one(shares);
    const Distribution sum = one.sum_of(n);
    RC_ASSERT(std::abs(sum.mean() / (n * one.mean()) - 1) < 1e-9);
    RC_ASSERT(std::abs(sum.deviation() - std::sqrt(n) * one.deviation()) <=
              1e-3 * n * (one.most() - one.least()) + 1e-6);
    RC_ASSERT(sum.largest_of(3).mean() >= sum.mean() - 1e-9 * sum.mean());
    RC_ASSERT(sum.largest_of(1).mean() <= sum.mean() * (1 + 1e-9));
}

}  // namespace distribution_test
}  // namespace dodona::lengths::testing
