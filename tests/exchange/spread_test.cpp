#include "exchange/spread.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "exchange/neighbours.hpp"

namespace dodona::exchange::testing {
namespace spread_test {

TEST(Spread, HasTheEigenvaluesOfTheSeed) {
    EXPECT_NEAR(spread_of({.pattern = Pattern::torus}, 16).second_eigenvalue, 0.6, 1e-9);
    EXPECT_NEAR(spread_of({.pattern = Pattern::torus}, 64).second_eigenvalue, 0.88284, 1e-5);
    EXPECT_NEAR(spread_of({.pattern = Pattern::torus, .rows = 2}, 16).second_eigenvalue, (2 + std::sqrt(2)) / 4, 1e-9);
    EXPECT_NEAR(spread_of({.pattern = Pattern::ring}, 8).second_eigenvalue, 0.80474, 1e-5);
    EXPECT_NEAR(spread_of({.pattern = Pattern::ring}, 16).second_eigenvalue, 0.94925, 1e-5);
    EXPECT_NEAR(spread_of({.pattern = Pattern::ring}, 64).second_eigenvalue, 0.99679, 1e-5);
}

TEST(Spread, HasTheDiameterOfTheGrid) {
    EXPECT_EQ(spread_of({.pattern = Pattern::ring}, 9).diameter, 4);
    EXPECT_EQ(spread_of({.pattern = Pattern::torus}, 16).diameter, 4);
    EXPECT_EQ(spread_of({.pattern = Pattern::all_reduce}, 16).diameter, 1);
}

/// The vector after one exchange in which each worker takes the mean of itself and its neighbours.
std::vector<double> mixed(Pattern pattern, const std::vector<double>& values) {
    const auto workers = static_cast<std::int64_t>(values.size());
    std::vector<double> after(values.size());
    for (std::int64_t worker = 0; worker < workers; ++worker) {
        const std::vector<std::int64_t> others = neighbours({.pattern = pattern}, workers, worker);
        double sum = values[static_cast<std::size_t>(worker)];
        for (const std::int64_t other : others) {
            sum += values[static_cast<std::size_t>(other)];
        }
        after[static_cast<std::size_t>(worker)] = sum / static_cast<double>(others.size() + 1);
    }
    return after;
}

double length(const std::vector<double>& values) {
    double squares = 0;
    for (const double value : values) {
        squares += value * value;
    }
    return std::sqrt(squares);
}

std::vector<double> without_mean(std::vector<double> values) {
    double mean = 0;
    for (const double value : values) {
        mean += value / static_cast<double>(values.size());
    }
    for (double& value : values) {
        value -= mean;
    }
    return values;
}

/// The rate at which the slowest difference shrinks, by power iteration.
double rate_of(Pattern pattern, std::int64_t workers) {
    std::vector<double> values(static_cast<std::size_t>(workers));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::sin(1.0 + 2.3 * static_cast<double>(i * i));
    }
    values = without_mean(values);
    double rate = 0;
    for (int exchange = 0; exchange < 2000 && length(values) > 1e-12; ++exchange) {
        const double before = length(values);
        values = without_mean(mixed(pattern, values));
        rate = length(values) / before;
        for (double& value : values) {
            value /= rate > 0 ? rate : 1;
        }
    }
    return length(values) > 1e-12 ? rate : 0;
}

TEST(Spread, EqualsTheRateAtWhichWorkersAgree) {
    for (const Pattern pattern : {Pattern::ring, Pattern::torus}) {
        for (const std::int64_t workers : {2, 3, 4, 6, 7, 8, 12, 16, 20}) {
            EXPECT_NEAR(spread_of({.pattern = pattern}, workers).second_eigenvalue, rate_of(pattern, workers), 1e-6)
                << name(pattern) << " of " << workers;
        }
    }
}

TEST(Spread, CountsExchangesToMix) {
    EXPECT_NEAR(spread_of({.pattern = Pattern::torus}, 16).exchanges_to_mix(0.01), std::log(100) / 0.4, 1e-9);
    EXPECT_EQ(spread_of({.pattern = Pattern::servers}, 16).exchanges_to_mix(0.01), 1);
}

// Each moves by 0.9 / 4 of its distance; a gossip of everybody in every step halves distances, but for its own part.
TEST(Spread, OfMasterAndGossip) {
    EXPECT_NEAR(spread_of({.pattern = Pattern::master, .outer = Outer::elastic}, 4).second_eigenvalue, 0.775, 1e-12);
    EXPECT_NEAR(spread_of({.pattern = Pattern::gossip, .probability = 1}, 1001).second_eigenvalue, 0.4995, 1e-4);
}

}  // namespace spread_test
}  // namespace dodona::exchange::testing
