// What one layer may do on a mesh: which of its loops lies on which axis. Derived from its nest; no operator has a
// name.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "plan/plan.hpp"

namespace dodona::search {

/// A mesh on which every layer chooses for itself, and all else that is the same for all of them.
struct Setting {
    /// Mesh, batch, precision, schedule, recomputation, sharding; its strategy has axes, pipeline and shard axes but no
    /// rules, and its micro-batch does not count.
    plan::Plan base;
    std::vector<std::string> axes;  ///< those that layers lay loops on: the mesh's, without its pipeline
    std::int64_t passes = 1;        ///< micro-batches of a step
    [[nodiscard]] std::int64_t stages() const;
    /// Of one pass, all ranks together.
    [[nodiscard]] std::int64_t samples() const { return base.batch / passes; }
};

/// Every way to give each axis to one of the loops that can be split, or to none (the ranks on it then repeat the same
/// work). A loop takes no more ways than it has segments, the batch none that do not divide the samples of a pass.
std::vector<std::vector<plan::Lay>> lays_of(const graph::Layer& layer, const Setting& setting);

/// The same name for all copies of a repeated block: "layers[1]/norm" and "layers[2..96]/norm" are "layers[*]/norm",
/// which as a pattern of a rule matches both.
std::string pattern_of(const std::string& layer);

}  // namespace dodona::search
