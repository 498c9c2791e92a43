#include "exchange/neighbours.hpp"

#include <algorithm>
#include <array>

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

std::vector<std::int64_t> neighbours(Pattern pattern, std::int64_t workers, std::int64_t worker) {
    check(pattern == Pattern::ring || pattern == Pattern::torus, "rings and tori have neighbours");
    if (pattern == Pattern::ring) {
        return distinct({(worker + 1) % workers, (worker + workers - 1) % workers}, worker);
    }
    const auto [height, width] = square_grid(workers);
    const std::int64_t row = worker / width;
    const std::int64_t column = worker % width;
    return distinct({row * width + (column + 1) % width, row * width + (column + width - 1) % width,
                     (row + 1) % height * width + column, (row + height - 1) % height * width + column},
                    worker);
}

}  // namespace dodona::exchange
