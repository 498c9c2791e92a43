// How far each axis of a strategy goes, and what sets it: found by asking the derivation, not by formulas.
//
// A strategy is laid on larger and larger meshes until a layer, the pipeline's cut or the batch breaks; what breaks
// first is the limit. ParaDL's closed forms (Kahira et al., HPDC'21, Table 3: data p <= B, filter p <= min F_l, channel
// p <= min C_l, layer p <= G) come out of it and are tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "plan/limit.hpp"
#include "plan/plan.hpp"

namespace dodona::plan {

/// The limits that a plan's strategy meets on its mesh with its folds: of layers, of the pipeline's cut and, where the
/// batch is fixed, of its samples. Folds that do not nest on the mesh are the only limit that is then returned.
std::vector<Limit> limits_on(const graph::Graph& graph, const Plan& plan, std::optional<std::int64_t> batch);

/// One axis, all others being 1.
struct AxisLimit {
    std::string axis;
    std::optional<std::int64_t> largest;  ///< that nothing breaks; none: however large
    std::optional<Limit> set_by;          ///< what one way more breaks, where that is known
    std::optional<std::int64_t> even;     ///< the largest that all layers divide by; none: however large
    std::optional<Limit> uneven;          ///< what does not divide by `largest`, if that is not even
    bool folded = false;                  ///< on the ranks of other axes: multiplies no device
};

/// All axes of a strategy, and then its folds. `batch`: samples of a step; none: as many as there are devices to share
/// them. Takes for granted that what breaks for want of pieces breaks for more ways as well.
std::vector<AxisLimit> axis_limits(const graph::Graph& graph, const Strategy& strategy,
                                   std::optional<std::int64_t> batch);

/// The most devices over all axes together.
struct Reach {
    std::optional<std::int64_t> devices;  ///< none: however many
    std::vector<MeshAxis> mesh;           ///< that takes so many
    bool exact = true;                    ///< false: there may be a larger mesh
};

/// `axes`: of the same strategy and batch.
Reach reach(const graph::Graph& graph, const Strategy& strategy, const std::vector<AxisLimit>& axes,
            std::optional<std::int64_t> batch);

}  // namespace dodona::plan
