#include "reliability/checkpoint_interval.hpp"

#include <cmath>

namespace dodona::reliability {

Seconds young_interval(const RunConditions& run) { return std::sqrt(2 * (run.pause / run.mtbf)) * run.mtbf; }

Seconds daly_interval(const RunConditions& run) {
    const double half = run.pause / run.mtbf / 2;
    if (half >= 1) {
        return run.mtbf;
    }
    return young_interval(run) * (1 + std::sqrt(half) / 3 + half / 9) - run.pause;
}

Seconds best_interval(const RunConditions& run) {
    const double pause = run.pause / run.mtbf;
    double low = 0;
    double high = 1;
    for (int halving = 0; halving < 200; ++halving) {
        const double middle = (low + high) / 2;
        // expm1 keeps what is left of the root for short pauses, where both terms are near 1.
        const double slope = middle * std::exp(middle + pause) - std::expm1(middle + pause);
        (slope < 0 ? low : high) = middle;
    }
    return low * run.mtbf;
}

Seconds shortest_interval(const RunConditions& run) { return max(run.background - run.pause, Seconds{}); }

RunTime expected_interval(const RunConditions& run, Seconds interval) {
    const double delay = (run.restart + run.background) / run.mtbf;
    const double period = (interval + run.pause) / run.mtbf;
    const Seconds total = std::exp(delay) * std::expm1(period) * run.mtbf;
    RunTime time{.training = interval, .checkpoints = run.pause, .lost = {}, .restarts = {}, .waiting = {}};
    if (!std::isfinite(total.in(unit::second))) {
        time.lost = total;
        return time;
    }
    time.failures = total / run.mtbf;
    // Each failure starts a restart, which lasts R or until the next failure.
    time.restarts = time.failures * -std::expm1(-run.restart.in(run.mtbf)) * run.mtbf;
    time.lost = total - time.training - time.checkpoints - time.restarts;
    return time;
}

}  // namespace dodona::reliability
