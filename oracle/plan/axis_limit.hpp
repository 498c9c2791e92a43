// The largest size of each axis of a strategy and what limits it, found by sharding the network and not by formulas.
//
// The network is sharded on larger and larger meshes until a layer, the pipeline cut or the batch breaks a limit.
// ParaDL's closed forms (Kahira et al., HPDC'21, Table 3: data p <= B, filter p <= min F_l, channel p <= min C_l, layer
// p <= G) follow and are tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "plan/limit.hpp"
#include "plan/plan.hpp"

namespace dodona::plan {

/// The limits of a plan's strategy on its mesh and folds: of layers, of the pipeline cut and, if `batch` is given, of
/// its samples. If the folds do not nest on the mesh, that is the only limit returned.
std::vector<Limit> limits_on(const graph::Graph& graph, const Plan& plan, std::optional<std::int64_t> batch);

/// Limits of one axis, with all other axes at size 1.
struct AxisLimit {
    std::string axis;
    std::optional<std::int64_t> largest;  ///< the largest size that breaks no limit; none: unlimited
    std::optional<Limit> set_by;          ///< the limit that larger sizes break, if known
    std::optional<std::int64_t> even;     ///< the largest size with even shards everywhere; none: unlimited
    std::optional<Limit> uneven;          ///< a limit that is uneven at `largest`, if any
    bool folded = false;                  ///< a fold: uses the ranks of other axes
};

/// Limits of all axes of a strategy, then of its folds. `batch`: samples of a step; none: it grows with the devices.
/// Domain: a limit that too few pieces break at one size is broken at larger sizes too.
std::vector<AxisLimit> axis_limits(const graph::Graph& graph, const Strategy& strategy,
                                   std::optional<std::int64_t> batch);

/// The most devices on all axes together.
struct Reach {
    std::optional<std::int64_t> devices;  ///< none: unlimited
    std::vector<MeshAxis> mesh;           ///< a mesh of so many devices
    bool exact = true;                    ///< false: a larger mesh may exist
};

/// `axes`: the limits of the same strategy and batch.
Reach reach(const graph::Graph& graph, const Strategy& strategy, const std::vector<AxisLimit>& axes,
            std::optional<std::int64_t> batch);

}  // namespace dodona::plan
