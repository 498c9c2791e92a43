// Searches all plans on one mesh: one by one with step::evaluate, or from tables.
#pragma once

#include "search/compute_time_bounds.hpp"
#include "search/filter.hpp"
#include "search/mesh_layouts.hpp"
#include "search/mesh_result.hpp"
#include "search/pass_table.hpp"
#include "search/space.hpp"
#include "step/predict.hpp"

namespace dodona::search {

/// What the searches of all meshes share.
struct SearchContext {
    const graph::Graph& graph;
    const cluster::Cluster& cluster;
    const Space& space;
    Filter filter;
    Variants variants;
    std::int64_t segments = 0;  ///< of the network, instances counted
    Bytes limit;                ///< what plans may need of the first rank's device

    SearchContext(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space);
    /// The variants of a mesh and micro-batch that the user's constraints allow.
    [[nodiscard]] std::vector<Variant> left_open(const plan::Plan& plan) const;
    [[nodiscard]] std::vector<std::int64_t> microbatches(const MeshLayout& layout) const;
    /// Whether other cuts than the default one are tried of a pipeline.
    [[nodiscard]] bool tries_cuts(const plan::Plan& plan) const {
        return plan.pipeline_stages() > 1 && space.cut == Cut::fastest && space.stages.empty() &&
               plan.framework.takes_cut;
    }

private:
    /// Plan::stages as the space says, or as the software deals blocks by itself; empty: it cannot.
    [[nodiscard]] std::vector<std::int64_t> stages_of(const plan::Plan& plan, std::int64_t virtual_stages) const;
};

/// `plan`: has the layout's strategy; everything else is overwritten.
MeshResult search_mesh_exhaustively(const SearchContext& context, const MeshLayout& layout, std::size_t index,
                                    plan::Plan& plan);

enum class Bounds { used, ignored };

/// Cuts of pipelines: all faster cuts are tried, or only the default one, with a bound for the others (MeshResult::recut).
enum class Cuts { all, balanced };

/// Bounds that may leave out plans of a mesh.
struct MeshBounds {
    Bounds memory = Bounds::used;
    TimeBounds time;
    Cuts cuts = Cuts::all;
};

/// Lower bounds of the times of the plans of a layout, from what its devices compute; `searched` is false where no plan
/// of it can run, or nothing is known. Domain: jobs on devices of one kind.
LayoutTimes least_times(const SearchContext& context, const MeshLayout& layout, plan::Plan& plan,
                        ComputeTimeBounds& passes);

/// The same from tables, for jobs on devices of one kind. `passes` are shared by layouts that differ only in
/// communication-free axes. Where `bounds.memory` is used, a lower bound of memory may rule out the whole layout
/// (MeshResult::bound); the least memory of its plans then stays unknown. Plans that `bounds.time` rules out are neither
/// counted nor kept.
MeshResult search_mesh(const SearchContext& context, const MeshLayout& layout, std::size_t index, plan::Plan& plan,
                       PassTables& passes, const MeshBounds& bounds);

}  // namespace dodona::search
