// Lengths of answers from their mean and the longest.
#include "generation/answer_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::generation {
namespace answer_lengths_test {

RC_GTEST_PROP(AnswerLengths, HaveTheirMeanAndTheLongest, ()) {
    const auto longest = static_cast<double>(*rc::gen::inRange(1000, 100'000));
    const double mean = longest * *rc::gen::inRange(1, 100) / 100;
    const lengths::Distribution lengths = answer_lengths(mean, longest);
    RC_ASSERT(std::abs(lengths.mean() - mean) < 1e-3 * longest);
    RC_ASSERT(lengths.most() == longest);
    RC_ASSERT(lengths.least() >= 1);
}

TEST(AnswerLengths, AreExponentialBelowHalfOfTheLongestAndPileUpAtItAbove) {
    // p(x) ~ exp(-k x): at k L = 5 the mean is L (1/5 - 1/(e^5 - 1)) = 0.19322 L, and P(x <= L/2) = 1/(1 + e^-2.5).
    const lengths::Distribution low = answer_lengths(1932.2, 10'000);
    EXPECT_NEAR(low.quantile(1 / (1 + std::exp(-2.5))), 5000, 50);
    // Mirrored above half.
    const lengths::Distribution high = answer_lengths(10'000 - 1932.2, 10'000);
    EXPECT_NEAR(high.quantile(1 - 1 / (1 + std::exp(-2.5))), 5000, 50);
    EXPECT_EQ(answer_lengths(700, 700).deviation(), 0);
}

TEST(DrawnLengths, AreQuantilesInAnOrderThatIsAlwaysTheSame) {
    const lengths::Distribution lengths({{10, 1}, {20, 2}, {30, 1}});
    std::vector<double> drawn = drawn_lengths(lengths, 8);
    EXPECT_EQ(drawn, drawn_lengths(lengths, 8));
    EXPECT_FALSE(std::is_sorted(drawn.begin(), drawn.end()));
    std::sort(drawn.begin(), drawn.end());
    EXPECT_EQ(drawn, (std::vector<double>{10, 10, 20, 20, 20, 20, 30, 30}));
}

}  // namespace answer_lengths_test
}  // namespace dodona::generation
