// Quantiles of repeated measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dodona::calibrate {

/// Linear between the samples around it, as NumPy's default. `sorted` is not empty; `share` is in 0 ... 1.
inline double quantile_of_sorted(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace dodona::calibrate
