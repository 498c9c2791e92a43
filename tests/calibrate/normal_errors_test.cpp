// How likely correlated errors are.
#include "calibrate/fit/normal_errors.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace dodona::calibrate {
namespace normal_errors_test {

TEST(NormalErrors, AreAsLikelyAsTheirDensitySays) {
    // C = (4, 2; 2, 9): det 32, e' C^-1 e of (1, -1) = (9 + 2 * 2 + 4) / 32.
    const auto covariance = [](std::size_t i, std::size_t j) { return i != j ? 2.0 : i == 0 ? 4.0 : 9.0; };
    const auto found = unlikeliness({1, -1}, covariance);
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, (17.0 / 32 + std::log(32)) / 2, 1e-12);
}

TEST(NormalErrors, HaveNoDensityWhereTheirCovarianceIsNone) {
    EXPECT_FALSE(unlikeliness({1, 1}, [](std::size_t i, std::size_t j) { return i == j ? 1.0 : 2.0; }));
}

}  // namespace normal_errors_test
}  // namespace dodona::calibrate
