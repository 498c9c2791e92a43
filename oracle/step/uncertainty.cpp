#include "step/uncertainty.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::step {

namespace {

double squared(double x) { return x * x; }

/// Combines two independent errors of one factor.
double joined(double a, double b) { return std::sqrt(a * a + b * b); }

plan::Framework::ByParameter by_parameter(const std::array<SourceError, cost::kErrorSources.size()>& sources) {
    plan::Framework::ByParameter shares{};
    for (std::size_t k = 0; k < sources.size(); ++k) {
        shares[static_cast<std::size_t>(cost::kErrorSources[k].parameter)] += sources[k].share;
    }
    return shares;
}

/// Variance of the difference of two log times by errors of kernels and links, which they share.
double of_sources(const Uncertainty& a, const Uncertainty& b) {
    double variance = 0;
    for (std::size_t k = 0; k < a.sources.size(); ++k) {
        variance += squared(a.sources[k].share * a.sources[k].sigma() - b.sources[k].share * b.sources[k].sigma());
    }
    return variance;
}

}  // namespace

Uncertainty uncertainty(const cost::StepTimes& sources, Seconds step, const plan::Framework& framework,
                        bool is_beyond_fit) {
    Uncertainty result{
        .sources = {},
        .spread = framework.spread,
        .between_sources = std::hypot(framework.between_sources, is_beyond_fit ? framework.beyond_fit : 0)};
    for (std::size_t k = 0; k < result.sources.size(); ++k) {
        const Estimate& time = sources.values[k];
        const plan::Framework::Number& number =
            framework.numbers[static_cast<std::size_t>(cost::kErrorSources[k].parameter)];
        if (time.value == Seconds{} || step <= Seconds{}) {
            continue;
        }
        const double value = number.value;
        result.sources[k] = {.share = time.value / step,
                             .below = joined(1 - time.lo / time.value, value > 0 ? 1 - number.lo / value : 0),
                             .above = joined(time.hi / time.value - 1, value > 0 ? number.hi / value - 1 : 0)};
    }
    return result;
}

Estimate interval(const Uncertainty& uncertainty, Seconds step, const plan::Framework& framework) {
    if (framework.observed && framework.observed->repeat > 0) {
        const double factor = std::exp(kNormal90 * framework.observed->repeat);
        return {step, step / factor, factor * step};
    }
    const double unexplained = uncertainty.unexplained();
    double below = squared(1 - std::exp(-kNormal90 * unexplained));
    double above = squared(std::exp(kNormal90 * unexplained) - 1);
    double variance = squared(unexplained);
    for (const SourceError& source : uncertainty.sources) {
        below += squared(source.share * (source.share > 0 ? source.below : source.above));
        above += squared(source.share * (source.share > 0 ? source.above : source.below));
        variance += squared(source.share * source.sigma());
    }
    double left = 1;
    if (framework.observed && variance > 0) {
        const double known = framework.observed->explained(by_parameter(uncertainty.sources));
        const double own = framework.observed->own_part * squared(unexplained);
        left = framework.observed->scale * std::sqrt(std::max(variance - known, own) / variance);
    }
    return {step, max(Seconds{}, (1 - left * std::sqrt(below)) * step), (1 + left * std::sqrt(above)) * step};
}

double difference(const Uncertainty& a, const Uncertainty& b, const plan::Framework& framework) {
    double variance = of_sources(a, b);
    plan::Framework::ByParameter shares = by_parameter(a.sources);
    const plan::Framework::ByParameter others = by_parameter(b.sources);
    if (framework.observed) {
        std::transform(shares.begin(), shares.end(), others.begin(), shares.begin(),
                       [](double mine, double other) { return mine - other; });
        variance = std::max(0.0, variance - framework.observed->explained(shares));
    }
    return std::sqrt(variance + kLayoutPart * (squared(a.spread) + squared(b.spread)) +
                     std::abs(squared(a.between_sources) - squared(b.between_sources)));
}

double difference_of_software(const Uncertainty& a, const Uncertainty& b) {
    return std::sqrt(of_sources(a, b) + squared(a.unexplained()) + squared(b.unexplained()));
}

}  // namespace dodona::step
