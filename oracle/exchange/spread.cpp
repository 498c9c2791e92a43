#include "exchange/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "exchange/neighbours.hpp"

namespace dodona::exchange {

namespace {

/// Neighbours along an axis whose ends are joined: both are the same one on an axis of two.
double axis_degree(std::int64_t size) { return static_cast<double>(std::min<std::int64_t>(size - 1, 2)); }

/// What they add to the eigenvalue of mode `mode`, times degree + 1.
double axis_term(std::int64_t mode, std::int64_t size) {
    return axis_degree(size) * std::cos(2 * std::numbers::pi * static_cast<double>(mode) / static_cast<double>(size));
}

/// The largest in magnitude of all modes but the mean.
Spread grid_spread(const Grid& grid) {
    const auto [height, width] = grid;
    const double weights = 1 + axis_degree(height) + axis_degree(width);
    double second = 0;
    for (std::int64_t i = 0; i < height; ++i) {
        for (std::int64_t j = i == 0 ? 1 : 0; j < width; ++j) {
            second = std::max(second, std::abs(1 + axis_term(i, height) + axis_term(j, width)) / weights);
        }
    }
    const std::int64_t hops = height / 2 + width / 2;
    return {static_cast<double>(hops), second};
}

Spread gossip_spread(double probability, std::int64_t workers) {
    const auto n = static_cast<double>(workers);
    return {(std::log2(n) + std::log(n)) / probability, 1 - probability * n / (2 * (n - 1))};
}

}  // namespace

double Spread::exchanges_to_mix(double left) const {
    return second_eigenvalue <= 0 ? 1 : std::max(1.0, std::log(1 / left) / (1 - second_eigenvalue));
}

Spread spread_of(const Exchange& exchange, std::int64_t workers) {
    switch (exchange.pattern) {
        case Pattern::ring:
        case Pattern::torus: return grid_spread(grid_of(exchange, workers));
        case Pattern::gossip: return gossip_spread(exchange.probability, workers);
        default: break;
    }
    if (exchange.outer == Outer::elastic) {
        return {2, 1 - exchange.moving_rate / static_cast<double>(workers)};
    }
    return {};
}

}  // namespace dodona::exchange
