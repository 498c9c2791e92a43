// The mean of times that were drawn, with its confidence interval.
//
//   mean +- 1.96 deviation / sqrt(n)        95 % for many draws; for few it is too narrow
#pragma once

#include <cmath>
#include <vector>

#include "base/quantity.hpp"
#include "base/ranges.hpp"

namespace dodona::trials {

struct MeanTime {
    Seconds mean;
    Seconds low;
    Seconds high;
};

/// Of at least two draws.
inline MeanTime mean_time(const std::vector<Seconds>& draws) {
    const auto count = static_cast<double>(draws.size());
    const auto sum = sum_of<Seconds>(draws, [](const Seconds draw) { return draw; });
    const Seconds mean = sum / count;
    const auto squares =
        sum_of<double>(draws, [&](const Seconds draw) { return std::pow((draw - mean).in(unit::second), 2); });
    const Seconds error = 1.96 * std::sqrt(squares / (count - 1) / count) * unit::second;
    return {mean, mean - error, mean + error};
}

}  // namespace dodona::trials
