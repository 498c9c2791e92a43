// Zipf's law: harmonic numbers against the sum term by term, hit rates by hand.
#include "tables/zipf.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace dodona::tables::testing {
namespace zipf_test {

TEST(Zipf, HarmonicNumbersAreTheSumTermByTerm) {
    for (const double s : {0.0, 0.5, 0.99, 1.0, 1.05, 2.0}) {
        double sum = 0;
        for (int i = 1; i <= 1'000'000; ++i) {
            sum += std::pow(i, -s);
        }
        EXPECT_NEAR(generalised_harmonic(1e6, s) / sum, 1, 1e-9) << s;
    }
    EXPECT_DOUBLE_EQ(generalised_harmonic(4, 1), 1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4);
}

TEST(Zipf, ACacheHitsTheShareOfItsRows) {
    EXPECT_DOUBLE_EQ(hit_rate(25, 100, 0), 0.25) << "every row alike";
    EXPECT_DOUBLE_EQ(hit_rate(1, 4, 1), 1 / (1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4));
    EXPECT_DOUBLE_EQ(hit_rate(100, 100, 1), 1);
    EXPECT_DOUBLE_EQ(hit_rate(0, 100, 1), 0);
    // The first 1 % of ten million rows: (ln 1e5 + 0.5772) / (ln 1e7 + 0.5772).
    EXPECT_NEAR(hit_rate(1e5, 1e7, 1), (std::log(1e5) + 0.5772) / (std::log(1e7) + 0.5772), 1e-4);
}

}  // namespace zipf_test
}  // namespace dodona::tables::testing
