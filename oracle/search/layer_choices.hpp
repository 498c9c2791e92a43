// The choices of one layer on a mesh: which of its loops lies on which axis. Derived from its loop nest, whatever the
// operator.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "plan/plan.hpp"

namespace dodona::search {

/// A mesh on which each layer chooses, with what is the same for all layers.
struct Setting {
    /// Mesh, batch, precision, schedule, recomputation, sharding. Its strategy has axes, pipeline and shard axes but no
    /// rules; its micro-batch is not used.
    plan::Plan base;
    std::vector<std::string> axes;  ///< of the mesh, without the pipeline: those that loops are laid on
    std::int64_t passes = 1;        ///< micro-batches of a step (accumulation steps)
    [[nodiscard]] std::int64_t stages() const;
    /// Samples of one micro-batch, of all ranks together.
    [[nodiscard]] std::int64_t samples() const { return base.batch / passes; }
};

/// All assignments of each axis to one of the loops that can be split, or to none (its ranks then repeat the same
/// work). A loop is split into no more shards than it has granules, and the batch only evenly.
std::vector<std::vector<plan::Lay>> lays_of(const graph::Layer& layer, const Setting& setting);

/// The same name for all copies of a repeated block: "layers[1]/norm" and "layers[2..96]/norm" are "layers[*]/norm",
/// which as a pattern of a rule matches both.
std::string pattern_of(const std::string& layer);

}  // namespace dodona::search
