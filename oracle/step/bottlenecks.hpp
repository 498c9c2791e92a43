// Finds the bottlenecks of a prediction, each with the ratio that triggers it and what would help
// (bottleneck_kinds.hpp).
#pragma once

#include <vector>

#include "step/prediction.hpp"
#include "step/segment_cost.hpp"

namespace dodona::step {

/// Memory and arithmetic of one rank of every stage together, and of the whole network.
struct Redundancy {
    double local_elements = 0;
    double whole_elements = 0;
    std::int64_t shard_ways = 1;  ///< ranks over which the plan shards states
    double kept_elsewhere = 0;    ///< share of the bytes kept for backward that are copies
    Flop executed;                ///< by one rank of every stage, for one micro-batch
    Flop whole_executed;          ///< by one device, for the samples of all data ranks
};

/// Share of the activations kept by a rank that are redundant copies: 1 - 1/c for a tensor that c ranks of a stage
/// keep.
double kept_elsewhere(const CostedGraph& costed, const plan::Plan& plan);

/// Whether the strategy can use twice as many devices for the same batch.
struct ScalingHeadroom {
    double taken = 0;  ///< share of its limit that the axis with most headroom uses; over 1: a limit is broken
    std::vector<plan::Limit> stopped_by;  ///< why no axis can be doubled; empty: one can
};
ScalingHeadroom scaling_headroom(const graph::Graph& graph, const plan::Plan& plan);

/// Ordered by the share of the step that they cost; those of memory and scaling come last.
std::vector<Bottleneck> find_bottlenecks(const Prediction& prediction, const Redundancy& redundancy,
                                         const ScalingHeadroom& headroom);

}  // namespace dodona::step
