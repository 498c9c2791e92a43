#include "simulate/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::simulate {

namespace {

constexpr double kLargestCountedMean = 4096;  // beyond, a Poisson draw is a normal one

void require_parameters(bool is_sound, const char* distribution, const char* what) {
    if (!is_sound) {
        fail({}, fmt::format("noise: {}: {}", distribution, what), "choose parameters that it can have");
    }
}

bool applies(const Noise& noise, const TaskGraph& graph, std::size_t task) {
    return (!noise.resource || graph.resource_of[task] == *noise.resource) &&
           (!noise.kind || graph.kind_of[task] == *noise.kind);
}

}  // namespace

std::uint64_t Draws::bits() { return random_bits(key_, count_++); }

double Draws::uniform() { return (static_cast<double>(bits() >> 12U) + 0.5) * 0x1p-52; }

double Draws::normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Draws::gamma(double shape) {
    if (shape < 1) {
        const double larger = gamma(shape + 1);
        return larger * std::pow(uniform(), 1 / shape);
    }
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = normal();
        const double v = std::pow(1 + c * x, 3);
        if (v > 0 && std::log(uniform()) < x * x / 2 + d - d * v + d * std::log(v)) {
            return d * v;
        }
    }
}

double Draws::poisson(double mean) {
    if (mean > kLargestCountedMean) {
        return std::max(0.0, std::round(mean + std::sqrt(mean) * normal()));
    }
    // Arrivals within one unit of time, with exponential times in between.
    double count = 0;
    for (double time = -std::log(uniform()); time < mean; time -= std::log(uniform())) {
        ++count;
    }
    return count;
}

void check_distribution(const Distribution& distribution) {
    struct {
        void operator()(const Normal& d) const {
            require_parameters(std::isfinite(d.mean) && d.deviation >= 0, "normal", "a deviation is 0 or more");
        }
        void operator()(const LogNormal& d) const {
            require_parameters(std::isfinite(d.location) && d.scale >= 0, "log-normal", "a scale is 0 or more");
        }
        void operator()(const Gamma& d) const {
            require_parameters(d.shape > 0 && d.scale >= 0, "gamma", "a shape is above 0, a scale 0 or more");
        }
        void operator()(const Exponential& d) const {
            require_parameters(d.mean >= 0, "exponential", "a mean is 0 or more");
        }
        void operator()(const Samples& d) const {
            require_parameters(!d.values.empty(), "samples", "there is at least one");
        }
        void operator()(const Bursts& d) const {
            require_parameters(d.per_second >= 0 && d.length >= 0, "bursts", "a rate and a length are 0 or more");
        }
    } check_parameters;
    std::visit(check_parameters, distribution);
}

double draw(const Distribution& distribution, double duration, Draws& draws) {
    struct {
        double duration;
        Draws& draws;
        double operator()(const Normal& d) const { return d.mean + d.deviation * draws.normal(); }
        double operator()(const LogNormal& d) const { return std::exp(d.location + d.scale * draws.normal()); }
        double operator()(const Gamma& d) const { return d.scale * draws.gamma(d.shape); }
        double operator()(const Exponential& d) const { return -d.mean * std::log(draws.uniform()); }
        double operator()(const Samples& d) const { return d.values[draws.bits() % d.values.size()]; }
        double operator()(const Bursts& d) const { return d.length * draws.poisson(d.per_second * duration); }
    } drawn{duration, draws};
    return std::visit(drawn, distribution);
}

NoisyTimes with_noise(const TaskGraph& graph, const std::vector<Noise>& noise, std::uint64_t seed) {
    for (const Noise& each : noise) {
        check_distribution(each.distribution);
        require_parameters(each.effect == Noise::Effect::added || !std::holds_alternative<Bursts>(each.distribution),
                           "bursts", "they are added, not multiplied");
    }
    NoisyTimes times{.durations = graph.durations, .bytes = {}};
    times.bytes.reserve(graph.flows.size());
    append(times.bytes, graph.flows, &Flow::bytes);
    for (std::size_t task = 0; task < graph.size(); ++task) {
        const double duration = graph.durations[task].in(unit::second);
        double factor = 1;
        double added = 0;
        for (std::size_t i = 0; i < noise.size(); ++i) {
            if (applies(noise[i], graph, task)) {
                Draws draws(random_bits(seed, i, task));
                (noise[i].effect == Noise::Effect::added ? added : factor) +=
                    draw(noise[i].distribution, duration, draws);
            }
        }
        times.durations[task] = Seconds::of_base(std::max(0.0, duration * factor + added));
        if (graph.flow_of[task] != TaskGraph::kNoFlow) {
            times.bytes[graph.flow_of[task]] *= std::max(0.0, factor);
        }
    }
    return times;
}

}  // namespace dodona::simulate
