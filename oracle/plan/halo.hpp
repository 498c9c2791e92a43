// Halos: rows that a shard needs from its neighbours where a window slides over a split dimension.
//
// Shard i of p owns outputs [i*q, (i+1)*q), q = ceil(outputs/p), and inputs [i*r, (i+1)*r), r = ceil(inputs/p). Output
// o reads inputs stride*o - pad ... stride*o - pad + span - 1; rows outside the own shard are the halo. In backward,
// input row x needs the gradients of all outputs whose windows contain it. The shard with the largest halo counts.
#pragma once

#include <cstdint>

#include "graph/nest.hpp"

namespace dodona::plan {

struct Halo {
    std::int64_t rows = 0;  ///< from both neighbours together, for the shard that needs most
    int neighbours = 0;     ///< neighbours that it receives from
    bool too_wide = false;  ///< needs more rows than a neighbour owns
    bool operator==(const Halo&) const = default;
};

/// Rows of X for the forward pass.
Halo forward_halo(const graph::Window& window, std::int64_t inputs, std::int64_t outputs, std::int64_t ways);
/// Rows of dY for the input gradient.
Halo backward_halo(const graph::Window& window, std::int64_t inputs, std::int64_t outputs, std::int64_t ways);

}  // namespace dodona::plan
