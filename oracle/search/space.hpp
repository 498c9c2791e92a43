// Enumerates the search space: meshes, folds, and the variants of one mesh and micro-batch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "search/search.hpp"
#include "search/variant.hpp"

namespace dodona::search {

/// All divisors, ascending.
std::vector<std::int64_t> divisors(std::int64_t n);

/// Whether a search over all strategies includes this one for such a network.
bool considered(const plan::Strategy& strategy, const graph::Graph& graph);

/// Of one strategy, and layouts of one search: what is beyond is not looked at, and the answer says so.
inline constexpr std::size_t kMaxMeshes = 100'000;
inline constexpr std::size_t kMaxLayouts = 400'000;

/// All factorisations of `devices` over the strategy's axes, the first kMaxMeshes of them. A strategy without axes has
/// one mesh for 1 device, else none.
std::vector<std::vector<plan::MeshAxis>> meshes(const plan::Strategy& strategy, std::int64_t devices);

/// The mesh with its axes larger than 1 in every order, the given order first.
std::vector<std::vector<plan::MeshAxis>> placements(const std::vector<plan::MeshAxis>& mesh);

/// Sizes of a strategy's folds: those that divide both the extents laid on the fold (4 for 8 experts) and its ranks.
/// Folds that others are `apart_from` stay 1; only plan files set them.
class FoldSizes {
public:
    FoldSizes(const plan::Strategy& strategy, const graph::Graph& graph);
    /// All combinations on the plan's mesh; folds of size 1 are left out.
    [[nodiscard]] std::vector<std::vector<plan::Fold>> of(const plan::Plan& plan) const;

private:
    [[nodiscard]] std::vector<std::int64_t> sizes(const plan::Plan& plan, std::size_t fold) const;

    const plan::Strategy& strategy_;
    std::vector<std::vector<std::int64_t>> extents_;  ///< by fold: extents that rules lay on it
};

/// Sizes of sharding groups: 0 (all ranks over which states may be sharded), then every smaller divisor.
std::vector<std::int64_t> shard_groups(const plan::Plan& plan);

/// The variants of one mesh and micro-batch: recomputation x sharding x schedule and virtual stages, and what the space
/// varies.
class Variants {
public:
    /// `overlap`, `offload`: of all plans, unless they vary. `virtual_stages`: that a user fixes, which are looked at
    /// wherever a pipeline can have them.
    Variants(const graph::Graph& graph, const Vary& vary, const plan::Overlap& overlap, const plan::Offload& offload,
             std::optional<std::int64_t> virtual_stages = {});
    /// `base` has mesh and micro-batch. Order: schedule, recomputation, sharding, offload, overlap; overlap, which does
    /// not change memory, varies fastest.
    [[nodiscard]] std::vector<Variant> of(const plan::Plan& base) const;

private:
    std::vector<plan::RecomputeKind> recomputes_;
    std::int64_t blocks_ = 0;
    std::int64_t segments_ = 0;
    Vary vary_;
    plan::Overlap overlap_;
    plan::Offload offload_;
    std::optional<std::int64_t> virtual_stages_;
};

/// The variants as plans.
std::vector<plan::Plan> variants(const plan::Plan& base, const graph::Graph& graph, const Vary& vary = {});

}  // namespace dodona::search
