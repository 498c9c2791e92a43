// The workers that each worker exchanges with on a ring or torus. Workers are numbered row by row, as ranks are placed:
// consecutive workers share a node.
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/exchange.hpp"

namespace dodona::exchange {

struct Grid {
    std::int64_t height = 1;
    std::int64_t width = 1;  ///< of a row of consecutive workers
};

/// The grid of n workers that is nearest to a square: width is the smallest divisor of n that is at least sqrt(n).
Grid square_grid(std::int64_t workers);

/// The torus of an exchange, or its ring as one row. Throws InputError where its rows do not divide the workers.
Grid grid_of(const Exchange& exchange, std::int64_t workers);

/// Distinct neighbours of a worker, without itself: to the right, to the left, below, above, so that no two workers send
/// to the same one first, second and so on. Domain: Pattern::ring and Pattern::torus.
std::vector<std::int64_t> neighbours(const Exchange& exchange, std::int64_t workers, std::int64_t worker);

}  // namespace dodona::exchange
