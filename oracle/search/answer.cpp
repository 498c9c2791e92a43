#include "search/answer.hpp"

#include <cmath>
#include <numbers>

namespace dodona::search {

double sure(const schedule::Prediction& first, const schedule::Prediction& other) {
    if (first.step.value <= Seconds{} || other.step.value <= Seconds{}) {
        return 0.5;
    }
    const double longer = std::log(other.step.value / first.step.value);
    const double sigma = schedule::difference(first.uncertainty, other.uncertainty, first.plan.framework);
    if (sigma <= 0) {
        return longer > 0 ? 1 : longer < 0 ? 0 : 0.5;
    }
    return 0.5 * std::erfc(-longer / sigma / std::numbers::sqrt2);
}

bool tied(const schedule::Prediction& first, const schedule::Prediction& other) {
    return sure(first, other) < (1 + kIntervalLevel) / 2;
}

}  // namespace dodona::search
