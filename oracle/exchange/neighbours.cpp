#include "exchange/neighbours.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"

namespace dodona::exchange {

namespace {

std::vector<std::int64_t> distinct(std::vector<std::int64_t> others, std::int64_t worker) {
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    others.erase(std::remove(others.begin(), others.end(), worker), others.end());
    return others;
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
