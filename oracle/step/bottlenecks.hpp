// Bottlenecks of a prediction, each with the figure that triggers it and what would help (bottleneck_kinds.hpp).
#pragma once

#include <string>
#include <vector>

#include "step/prediction.hpp"
#include "step/segment_cost.hpp"

namespace dodona::step {

/// What is held and done by one rank of every stage together, against the whole network.
struct Redundancy {
    double local_elements = 0;
    double whole_elements = 0;
    std::int64_t shard_ways = 1;  ///< ranks that share what the plan shards
    double kept_elsewhere = 0;    ///< share of the bytes kept for backward that are copies
    Flop executed;                ///< one micro-batch pass, one rank of every stage
    Flop whole_executed;          ///< the samples of that pass over all data ranks, unsplit
};

/// Of what one rank keeps for backward, the share that is a copy of what ranks of its stage keep as well: with c copies
/// of a tensor, all but one, 1 - 1/c.
double kept_elsewhere(const CostedGraph& costed, const plan::Plan& plan);

/// Whether the strategy could use twice as many devices for the same batch.
struct Room {
    double taken = 0;                     ///< of what the axis with most room has; over 1: a limit is broken
    std::vector<plan::Limit> stopped_by;  ///< what stops the axes; empty: one can be doubled
};
Room room(const graph::Graph& graph, const plan::Plan& plan);

/// Those that cost most of the step first, then those of memory and scaling.
std::vector<Bottleneck> find_bottlenecks(const Prediction& prediction, const Redundancy& redundancy, const Room& room);

}  // namespace dodona::step
