#include "calibrate/record/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"
#include "calibrate/record/quantile.hpp"

namespace dodona::calibrate {

namespace {

using Clock = std::chrono::steady_clock;

/// Whether the widths no longer change.
class Plateau {
public:
    void take(double width) {
        widths_.push_back(width);
        if (widths_.size() > kPlateau) {
            widths_.pop_front();
        }
    }
    [[nodiscard]] bool reached() const {
        const auto [least, most] = std::minmax_element(widths_.begin(), widths_.end());
        return widths_.size() == kPlateau && *most - *least <= kSettled;
    }

private:
    std::deque<double> widths_;
};

std::string reasons(const std::map<std::string, std::int64_t>& rejected) {
    std::string text;
    for (const auto& [why, count] : rejected) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, why);
    }
    return text;
}

}  // namespace

Statistics sample(const SamplingRule& rule, const std::function<Timed()>& once) {
    Statistics statistics;
    statistics.estimator = rule.estimator;
    std::vector<double> sorted;
    Plateau plateau;
    const auto begin = Clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - begin).count() * 1_s; };
    for (int taken = 0; taken < rule.most; ++taken) {
        const auto kept = static_cast<int>(sorted.size());
        const bool enough = kept >= rule.fewest;
        // Short of samples, up to three times the limit; then rejected ones end it.
        if ((enough && (plateau.reached() || spent() > rule.limit)) || (kept > 0 && spent() > 3.0 * rule.limit) ||
            (kept == 0 && taken >= rule.fewest && spent() > 3.0 * rule.limit)) {
            break;
        }
        const Timed timed = once();
        if (!timed.rejected.empty()) {
            ++statistics.rejected[timed.rejected];
            continue;
        }
        const double seconds = timed.time.in(1_s);
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), seconds), seconds);
        const double middle = quantile_of_sorted(sorted, 0.5);
        plateau.take(middle > 0 ? (quantile_of_sorted(sorted, 0.75) - quantile_of_sorted(sorted, 0.25)) / middle : 0);
    }
    if (sorted.empty()) {
        throw CannotMeasure(fmt::format("every sample was rejected: {}", reasons(statistics.rejected)));
    }
    auto rejected = std::move(statistics.rejected);
    statistics = statistics_of(std::move(sorted), rule.estimator);
    statistics.rejected = std::move(rejected);
    return statistics;
}

}  // namespace dodona::calibrate
