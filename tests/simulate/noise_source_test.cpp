// Shares of time that sources of noise add: moments of every distribution.
#include "simulate/noise_source.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace dodona::simulate {
namespace noise_source_test {

constexpr int kDraws = 100'000;

void expect_moments(const NoiseSource& source, double mean, double deviation) {
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kDraws; ++i) {
        Draws draws(static_cast<std::uint64_t>(i));
        const double share = draw_share(source, draws);
        sum += share;
        squares += share * share;
    }
    const double found = sum / kDraws;
    // The mean is within 4 standard errors.
    EXPECT_NEAR(found, mean, 4 * deviation / std::sqrt(kDraws)) << name(source.distribution);
    EXPECT_NEAR(std::sqrt(squares / kDraws - found * found), deviation, 0.03 * deviation) << name(source.distribution);
}

TEST(NoiseSource, SharesHaveTheMeanAndDeviationAskedFor) {
    for (const NoiseShape shape : {NoiseShape::normal, NoiseShape::log_normal, NoiseShape::gamma}) {
        expect_moments({.distribution = shape, .mean = 0.2, .deviation = 0.3}, 0.2, 0.3);
    }
    expect_moments({.distribution = NoiseShape::exponential, .mean = 0.2}, 0.2, 0.2);
    expect_moments({.distribution = NoiseShape::empirical, .values = {0, 0.3, 0.9}}, 0.4, std::sqrt(0.14));
    // With probability p: mean p m, variance p (m^2 + s^2) - (p m)^2.
    expect_moments({.mean = 0.2, .deviation = 0.3, .probability = 0.25}, 0.05, std::sqrt(0.25 * 0.13 - 0.0025));
}

TEST(NoiseSource, ACertainShareIsTheMean) {
    Draws draws(1);
    EXPECT_EQ(draw_share({.mean = 0.5}, draws), 0.5);
    EXPECT_EQ(draw_share({.distribution = NoiseShape::gamma, .mean = 0.5}, draws), 0.5);
    EXPECT_NEAR(draw_share({.distribution = NoiseShape::log_normal, .mean = 0.5}, draws), 0.5, 1e-12);
}

}  // namespace noise_source_test
}  // namespace dodona::simulate
