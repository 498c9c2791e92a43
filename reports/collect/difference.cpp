#include "reports/collect/difference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

Seconds size_of(Seconds difference) { return max(difference, -difference); }

}  // namespace

std::vector<PartDifference> time_differences(const step::Prediction& than, const step::Prediction& one) {
    const Seconds least = 0.001 * min(than.step.value, one.step.value);
    std::vector<PartDifference> differences;
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const Seconds longer = one.time.values[i] - than.time.values[i];
        if (least < size_of(longer)) {
            differences.push_back({static_cast<step::TimePart>(i), longer});
        }
    }
    std::stable_sort(differences.begin(), differences.end(), [](const PartDifference& a, const PartDifference& b) {
        return size_of(b.longer) < size_of(a.longer);
    });
    return differences;
}

std::string difference_text(const step::Prediction& than, const step::Prediction& one) {
    constexpr std::size_t kMax = 3;
    std::vector<std::string> parts;
    for (const PartDifference& difference : time_differences(than, one)) {
        const bool shorter = difference.longer < Seconds{};
        if (parts.size() < kMax) {
            parts.push_back(fmt::format("{} {}{}", label(difference.part, shorter ? than.plan : one.plan),
                                        shorter ? "-" : "+", text(size_of(difference.longer))));
        }
    }
    return join(parts);
}

std::string how_much_longer(const step::Prediction& than, const step::Prediction& one) {
    const double ratio = one.step.value / than.step.value;
    const std::string why = difference_text(than, one);
    std::string much = ratio >= 2        ? fmt::format("{} times as long", three_digits(ratio))
                       : ratio >= 1.0005 ? fmt::format("{} longer", percent(ratio - 1))
                       : ratio <= 0.9995 ? fmt::format("{} less", percent(1 - ratio))
                                         : "as long";
    return why.empty() ? much : much + ": " + why;
}

bool intervals_overlap(const step::Prediction& a, const step::Prediction& b) {
    return a.step.lo <= b.step.hi && b.step.lo <= a.step.hi;
}

}  // namespace dodona::reports
