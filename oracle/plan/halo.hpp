// Rows that a shard needs from its neighbours where a window slides over a split dimension.
//
// Shard i of p owns outputs [i*q, (i+1)*q), q = ceil(outputs/p), and inputs [i*r, (i+1)*r), r = ceil(inputs/p).
// Output o reads inputs stride*o - pad ... stride*o - pad + span - 1; what it reads outside its own shard is the halo.
// Backward, input row x needs the gradients of all outputs whose windows hold it. The shard with most rows counts.
#pragma once

#include <cstdint>

#include "graph/nest.hpp"

namespace dodona::plan {

struct Halo {
    std::int64_t rows = 0;  ///< from both neighbours together, for the shard that needs most
    int neighbours = 0;     ///< how many it talks to
    bool too_wide = false;  ///< needs more than its neighbour owns
    bool operator==(const Halo&) const = default;
};

/// Rows of X for the forward pass.
Halo forward_halo(const graph::Window& window, std::int64_t inputs, std::int64_t outputs, std::int64_t ways);
/// Rows of dY for the input gradient.
Halo backward_halo(const graph::Window& window, std::int64_t inputs, std::int64_t outputs, std::int64_t ways);

}  // namespace dodona::plan
