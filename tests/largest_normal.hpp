// What a step of nodes waits for whose times are normal.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dodona {

/// Expected largest of n independent standard normal draws:
///
///   E_n = integral of x n phi(x) Phi(x)^(n-1) dx
///
/// By Simpson's rule on [-10, 10] in 20,000 intervals; relative error below 1e-9 for n up to 1e9. A step of n nodes that
/// wait for the slowest takes mu + sigma E_n where their times are normal.
inline double expected_largest_normal(double n) {
    constexpr int kIntervals = 20'000;
    constexpr double kEnd = 10;
    constexpr double kStep = 2 * kEnd / kIntervals;
    const auto density = [n](double x) {
        const double phi = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
        const double above = std::erfc(x / std::numbers::sqrt2) / 2;
        return x * n * phi * std::exp((n - 1) * std::log1p(-std::min(above, 1 - 1e-16)));
    };
    double sum = 0;
    for (int i = 0; i <= kIntervals; ++i) {
        const double weight = i == 0 || i == kIntervals ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * density(-kEnd + i * kStep);
    }
    return sum * kStep / 3;
}

}  // namespace dodona
