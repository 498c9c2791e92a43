#include "calibrate/record/steadiness.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "calibrate/record/quantile.hpp"

namespace dodona::calibrate {

namespace {

/// As much as predictions of a step are off in the mean (docs/accuracy.md).
constexpr double kDoubtfulSpread = 0.1;
constexpr double kDoubtfulRejected = 0.1;  ///< share of samples

}  // namespace

void Steadiness::add(const Statistics& time) {
    if (time.median <= Seconds{}) {
        return;
    }
    spreads_.push_back((time.third_quartile - time.first_quartile) / time.median);
    samples_ += time.samples;
    for (const auto& [why, count] : time.rejected) {
        rejected_[why] += count;
    }
}

double Steadiness::spread() const {
    std::vector<double> sorted = spreads_;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : quantile_of_sorted(sorted, 0.5);
}

double Steadiness::worst_spread() const { return spreads_.empty() ? 0 : *std::ranges::max_element(spreads_); }

std::vector<std::string> Steadiness::doubts() const {
    std::vector<std::string> all;
    if (spread() > kDoubtfulSpread) {
        all.push_back(fmt::format("samples vary by {:.0f} %: is something else running?", 100 * spread()));
    }
    std::int64_t taken = samples_;
    for (const auto& [why, count] : rejected_) {
        taken += count;
    }
    for (const auto& [why, count] : rejected_) {
        const double share = static_cast<double>(count) / static_cast<double>(taken);
        if (share > kDoubtfulRejected) {
            all.push_back(fmt::format("{} {:.1f} % of samples", why, 100 * share));
        }
    }
    return all;
}

}  // namespace dodona::calibrate
