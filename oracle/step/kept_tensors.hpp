// The memory of a stage: the tensors that it keeps for backward at its peak, one by one, and what it
// holds at other moments of a step.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "step/stage_memory.hpp"

namespace dodona::step {

/// Equal tensors of a stage.
struct KeptLine {
    std::string tensor;       ///< "layers/up", or "scores of layers/attention": the layer that makes it
    std::string read_by;      ///< the first layer whose backward pass reads it
    Bytes size;               ///< of one, on one device
    double instances = 0;     ///< layers of the stage
    double microbatches = 0;  ///< in flight at the peak; the mean where virtual stages hold different numbers
    Bytes total;
};

struct PeakMemory {
    std::vector<KeptLine> kept;  ///< the largest first
    MemoryMoments moments;
};

/// In `kept`, `total` adds up to activations and what embeddings and heads keep (KeptActivations::total), before
/// offload. `stage`: from 0, of the replica that finishes last. Domain: a plan whose prediction runs.
PeakMemory peak_memory(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                       std::size_t stage);

}  // namespace dodona::step
