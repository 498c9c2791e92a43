#include "simulate/noise_source.hpp"

#include <cmath>

namespace dodona::simulate {

namespace {

/// Log-normal with this mean and deviation.
double log_normal(double mean, double deviation, Draws& draws) {
    const double relative = deviation / mean;
    const double variance = std::log1p(relative * relative);
    const LogNormal distribution{.location = std::log(mean) - variance / 2, .scale = std::sqrt(variance)};
    return draw(distribution, 0, draws);
}

/// Gamma with this mean and deviation.
double gamma(double mean, double deviation, Draws& draws) {
    if (deviation <= 0) {
        return mean;
    }
    const double ratio = mean / deviation;
    return draw(Gamma{.shape = ratio * ratio, .scale = deviation / ratio}, 0, draws);
}

}  // namespace

double draw_share(const NoiseSource& source, Draws& draws) {
    if (source.probability < 1 && draws.uniform() >= source.probability) {
        return 0;
    }
    switch (source.distribution) {
        case NoiseShape::normal: return draw(Normal{source.mean, source.deviation}, 0, draws);
        case NoiseShape::log_normal: return log_normal(1 + source.mean, source.deviation, draws) - 1;
        case NoiseShape::gamma: return gamma(source.mean, source.deviation, draws);
        case NoiseShape::exponential: return draw(Exponential{source.mean}, 0, draws);
        case NoiseShape::empirical: return source.values[draws.bits() % source.values.size()];
    }
    return 0;
}

}  // namespace dodona::simulate
