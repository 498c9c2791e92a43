// Enumerates the meshes of a space: strategies, sizes of their axes and folds, places of axes, sharding groups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "plan/mesh.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// Everything of a plan that shards depend on, but for the micro-batch.
struct MeshLayout {
    std::size_t strategy = 0;  ///< of the space
    std::vector<plan::MeshAxis> mesh;
    std::vector<plan::Fold> folds;
    std::int64_t shard_group = 0;
    std::int64_t samples = 1;  ///< of one data rank and step: micro-batches divide them

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
};

/// What all plans of a space have, but for strategy and mesh.
plan::Plan plan_of(const Space& space);

/// The plan of a space under one of its strategies, without a mesh.
plan::Plan plan_of(const Space& space, std::size_t strategy);

Enumeration enumerate(const graph::Graph& graph, const Space& space);

/// Plans that are one choice to a user: the same strategy on the same mesh, with other places, micro-batches and
/// savings.
std::string layout_key(const Space& space, const MeshLayout& layout);

}  // namespace dodona::search
