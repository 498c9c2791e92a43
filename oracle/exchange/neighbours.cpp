#include "exchange/neighbours.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::exchange {

namespace {

/// The others but the worker itself, each once, in their order.
std::vector<std::int64_t> distinct(const std::vector<std::int64_t>& others, std::int64_t worker) {
    std::vector<std::int64_t> kept;
    for (const std::int64_t other : others) {
        if (other != worker && std::find(kept.begin(), kept.end(), other) == kept.end()) {
            kept.push_back(other);
        }
    }
    return kept;
}

}  // namespace

Grid square_grid(std::int64_t workers) {
    std::int64_t width = 1;
    while (width * width < workers || workers % width != 0) {
        ++width;
    }
    return {workers / width, width};
}

Grid grid_of(const Exchange& exchange, std::int64_t workers) {
    check(exchange.pattern == Pattern::ring || exchange.pattern == Pattern::torus, "rings and tori are grids");
    if (exchange.pattern == Pattern::ring) {
        return {1, workers};
    }
    if (!exchange.rows) {
        return square_grid(workers);
    }
    if (workers % *exchange.rows != 0) {
        fail(exchange.where, fmt::format("{}: {} workers do not make {} rows", exchange.name, workers, *exchange.rows),
             "rows that divide the workers, or none: as square as can be");
    }
    return {*exchange.rows, workers / *exchange.rows};
}

std::vector<std::int64_t> neighbours(const Exchange& exchange, std::int64_t workers, std::int64_t worker) {
    const auto [height, width] = grid_of(exchange, workers);
    const std::int64_t row = worker / width;
    const std::int64_t column = worker % width;
    return distinct({row * width + (column + 1) % width, row * width + (column + width - 1) % width,
                     (row + 1) % height * width + column, (row + height - 1) % height * width + column},
                    worker);
}

}  // namespace dodona::exchange
