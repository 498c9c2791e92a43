// Enumerates the meshes of a space: strategies, sizes of axes and folds, placements, sharding groups.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/mesh.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// The decisions of a plan that shards depend on, without the micro-batch.
struct MeshLayout {
    std::size_t strategy = 0;  ///< of the space
    std::size_t software = 0;  ///< of the space
    std::vector<plan::MeshAxis> mesh;
    std::vector<plan::Fold> folds;
    std::int64_t shard_group = 0;
    std::int64_t samples = 1;  ///< of one data rank and step: micro-batches divide them
    std::int64_t unusual = 0;  ///< reasons why it is not in use in practice (usual.hpp)
    std::int64_t spread = 1;   ///< domains (Cluster::fast_domain) that the ranks of its folds span
    bool as_strategy = true;   ///< axes in the strategy's own order

    void apply(plan::Plan& plan) const {
        plan.mesh = mesh;
        plan.folds = folds;
        plan.shard_group = shard_group;
    }
};

/// Meshes that a strategy cannot be laid on.
struct RefusedMeshes {
    std::size_t strategy = 0;
    plan::LimitCause cause;
    std::int64_t count = 0;
};

struct Enumeration {
    std::vector<MeshLayout> layouts;
    std::vector<RefusedMeshes> refused;  ///< each cause of a strategy once
    std::int64_t unusual = 0;            ///< meshes and strategies left out because they are not usual
    bool complete = true;                ///< false: there are more meshes than one search looks at
};

/// What all plans of a space in its first software have in common; without strategy and mesh.
plan::Plan plan_of(const Space& space);

/// The plan of a space under one of its strategies in a software, without a mesh.
plan::Plan plan_of(const Space& space, std::size_t strategy, std::size_t software);
inline plan::Plan plan_of(const Space& space, const MeshLayout& layout) {
    return plan_of(space, layout.strategy, layout.software);
}

Enumeration enumerate(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space);

/// Indices of strategy and software, names and sizes of axes, sorted, and of folds. Equal for layouts that differ in
/// placement or sharding group only: a ranking shows one plan of each key. Valid as long as the layout.
using LayoutKey = std::tuple<std::size_t, std::size_t, std::vector<std::pair<std::string_view, std::int64_t>>>;
LayoutKey layout_key(const MeshLayout& layout);

}  // namespace dodona::search
