// What one instance of a segment allocates and frees on a device in the passes of a micro-batch, layer by layer.
//
// A layer's forward pass allocates buffers of its collectives, its result and what it keeps of its own; buffers are free
// when it ends, results after their last reader unless one of these keeps them. Its backward pass allocates the
// gradients of its inputs and weights and frees the gradient of its result and what it kept. Sizes are those of the
// derivation (plan/shard.hpp) and the memory profile (step/segment_memory.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/plan.hpp"
#include "step/segment_cost.hpp"

namespace dodona::play {

/// All sizes in bytes. Layers of a segment count from 0, in topological order.
struct LayerTensors {
    std::int64_t result = 0;             ///< 0: a network input
    bool leaves = false;                 ///< another segment reads the result, or another instance of this one
    std::vector<std::size_t> producers;  ///< layers of the segment
    std::int64_t entering = 0;           ///< gradients of what it reads of earlier segments; 0: none
    std::vector<std::size_t> keeps;      ///< results of layers of the segment that it is the first to keep
    bool keeps_entering = false;
    std::vector<std::int64_t> own;  ///< kept tensors that are no results: internal ones, and copies in other shardings
    std::vector<std::int64_t> dropped;          ///< the same, recomputed in backward
    std::vector<std::int64_t> forward_buffers;  ///< only while the pass runs
    std::vector<std::int64_t> backward_buffers;
    /// In the precision of the products, until they are added up.
    std::vector<std::int64_t> weight_gradients;
    bool goes_backward = false;
};

struct SegmentTensors {
    std::vector<LayerTensors> layers;
    bool recomputes = false;              ///< keeps only what enters; see step::SegmentCost::recomputes
    std::vector<std::int64_t> gathered;   ///< weights that are whole only while a pass runs (ZeRO-3)
    std::vector<double> weight_elements;  ///< local
    std::int64_t entering = 0;            ///< what it reads of earlier segments
};

/// By segment. `costed` has its shards.
std::vector<SegmentTensors> segment_tensors(const step::CostedGraph& costed, const plan::Plan& plan);

}  // namespace dodona::play
