#include "calibrate/record/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.hpp"

namespace dodona::calibrate {

double quantile_of_sorted(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double quantile(std::vector<double> values, double share) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::max<std::size_t>(rank, 1) - 1];
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Statistics statistics_of(std::vector<double> times, Estimator estimator) {
    check(!times.empty(), "statistics of no times");
    std::sort(times.begin(), times.end());
    return {.least = times.front() * 1_s,
            .first_quartile = quantile_of_sorted(times, 0.25) * 1_s,
            .median = quantile_of_sorted(times, 0.5) * 1_s,
            .third_quartile = quantile_of_sorted(times, 0.75) * 1_s,
            .samples = static_cast<std::int64_t>(times.size()),
            .estimator = estimator};
}

}  // namespace dodona::calibrate
