// Walks over all plans on one mesh: one by one as `predict` evaluates them, or from tables.
#pragma once

#include <optional>

#include "search/filter.hpp"
#include "search/mesh_layouts.hpp"
#include "search/mesh_result.hpp"
#include "search/pass_table.hpp"
#include "search/space.hpp"
#include "step/predict.hpp"

namespace dodona::search {

/// What all walks of a search share.
struct SearchContext {
    const graph::Graph& graph;
    const cluster::Cluster& cluster;
    const Space& space;
    Filter filter;
    Variants variants;
    std::int64_t segments = 0;  ///< of the network, instances counted
    Bytes limit;                ///< of the first rank's device

    SearchContext(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space);
    /// What is left open on a mesh and micro-batch, within the user's constraints.
    [[nodiscard]] std::vector<Variant> left_open(const plan::Plan& plan) const;
    [[nodiscard]] std::vector<std::int64_t> microbatches(const MeshLayout& layout) const;
};

/// `plan`: of the layout's strategy; changed on the way.
MeshResult search_mesh_exhaustively(const SearchContext& scene, const MeshLayout& layout, std::size_t index,
                                    plan::Plan& plan);

enum class Bounds { used, ignored };

/// The same from tables; `passes` are shared by layouts that are alike but for quiet axes. For jobs on devices of one
/// kind. A bound on the memory of all its plans may settle a layout; what its leanest needs then stays unknown.
MeshResult search_mesh(const SearchContext& scene, const MeshLayout& layout, std::size_t index, plan::Plan& plan,
                       PassTables& passes, Bounds bounds);

}  // namespace dodona::search
