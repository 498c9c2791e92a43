#include "threads/measured_settings.hpp"

#include <algorithm>
#include <cmath>

#include "base/ranges.hpp"

namespace dodona::threads {

namespace {

/// By linear interpolation between the two nearest.
Seconds quantile_of_times(const std::vector<Seconds>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = place - std::floor(place);
    return (1 - part) * sorted[below] + part * sorted[above];
}

bool are_told_apart(const MeasuredSetting& a, const MeasuredSetting& b) {
    return a.upper < b.lower || b.upper < a.lower;
}

/// 1: in the order of the measurements; 0.5: predicted alike.
double order_share(const MeasuredSetting& a, const MeasuredSetting& b, Seconds of_a, Seconds of_b) {
    constexpr double kAlike = 1e-9;  // of a time: rounding
    if (of_a <= (1 + kAlike) * of_b && of_b <= (1 + kAlike) * of_a) {
        return 0.5;
    }
    return (of_a < of_b) == (a.median < b.median) ? 1 : 0;
}

void rank_pairs(Agreement& found, const Prediction& prediction, const std::vector<MeasuredSetting>& measured) {
    double right = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        for (std::size_t j = i + 1; j < measured.size(); ++j) {
            const auto first = predicted(prediction, measured[i].setting);
            const auto second = predicted(prediction, measured[j].setting);
            if (!first || !second) {
                continue;
            }
            ++found.pairs;
            if (are_told_apart(measured[i], measured[j])) {
                ++found.distinguished;
                right += order_share(measured[i], measured[j], *first, *second);
            }
        }
    }
    found.ranked = found.distinguished > 0 ? right / static_cast<double>(found.distinguished) : 1;
}

}  // namespace

MeasuredSetting measured_setting(const Setting& setting, std::vector<Seconds> times) {
    std::sort(times.begin(), times.end());
    return {.setting = setting,
            .lower = quantile_of_times(times, 0.25),
            .median = quantile_of_times(times, 0.5),
            .upper = quantile_of_times(times, 0.75)};
}

std::optional<Seconds> predicted(const Prediction& prediction, const Setting& setting) {
    const auto* found = found_in(prediction.grid, &Timed::setting, setting);
    return found == nullptr ? std::nullopt : std::optional(found->time);
}

Agreement agreement(const Prediction& prediction, const std::vector<MeasuredSetting>& measured) {
    Agreement found;
    rank_pairs(found, prediction, measured);
    found.fastest =
        *min_element(measured, [](const MeasuredSetting& a, const MeasuredSetting& b) { return a.median < b.median; });
    const auto* guideline = found_in(measured, &MeasuredSetting::setting, prediction.guideline.setting);
    if (guideline == nullptr) {
        return found;
    }
    found.guideline = *guideline;
    for (const MeasuredSetting& other : measured) {
        if (other.setting == guideline->setting) {
            continue;
        }
        ++found.others;
        found.slower += guideline->median < other.median ? 1 : 0;
        found.faster += other.upper < guideline->lower ? 1 : 0;
    }
    return found;
}

}  // namespace dodona::threads
