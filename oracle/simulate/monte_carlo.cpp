#include "simulate/monte_carlo.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/diagnostic.hpp"
#include "base/parallel.hpp"
#include "simulate/play.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::simulate {

namespace {

constexpr std::uint64_t kSkewKey = 0x736b6577;  // keeps the draws of skew apart from those of noise

std::vector<Seconds> skewed_starts(const TaskGraph& graph, const Distribution& skew, std::uint64_t seed) {
    std::vector<Seconds> starts;
    for (std::size_t i = 0; i < graph.resources.size(); ++i) {
        Draws draws(random_bits(seed, kSkewKey, i));
        const double late = draw(skew, 0, draws);
        starts.push_back(max(Seconds{}, graph.resources[i].start + Seconds::of_base(late)));
    }
    return starts;
}

}  // namespace

NoisyMakespan monte_carlo(const TaskGraph& graph, const Routes* routes, const MonteCarlo& settings, int workers) {
    if (settings.runs < 2) {
        fail({}, "noise: fewer than 2 runs",
             "a deviation needs 2 or more, an interval that means something 30 or more");
    }
    if (settings.skew) {
        check_distribution(*settings.skew);
    }
    NoisyMakespan result;
    result.runs.resize(settings.runs);
    parallel_for(settings.runs, workers, [&](std::size_t run) {
        const std::uint64_t seed = random_bits(settings.seed, run);
        const NoisyTimes times = with_noise(graph, settings.noise, seed);
        std::vector<Seconds> starts;
        if (settings.skew) {
            starts = skewed_starts(graph, *settings.skew, seed);
        }
        const Variation variation{.durations = times.durations, .bytes = times.bytes, .resource_starts = starts};
        result.runs[run] = play(graph, routes, variation).makespan;
    });
    const auto n = static_cast<double>(settings.runs);
    for (const Seconds run : result.runs) {
        result.mean += run / n;
    }
    double squares = 0;
    for (const Seconds run : result.runs) {
        const double off = (run - result.mean).in(unit::second);
        squares += off * off;
    }
    const double deviation = std::sqrt(squares / (n - 1));
    const Seconds half = Seconds::of_base(1.96 * deviation / std::sqrt(n));
    result.deviation = Seconds::of_base(deviation);
    result.low = result.mean - half;
    result.high = result.mean + half;
    return result;
}

double expected_largest_normal(double n) {
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

}  // namespace dodona::simulate
