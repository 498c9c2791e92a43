// Enumerates the space: meshes, micro-batches and what may vary on top of them.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "search/search.hpp"
#include "search/variant.hpp"

namespace dodona::search {

/// All divisors, ascending.
std::vector<std::int64_t> divisors(std::int64_t n);

/// Whether a search over all strategies looks at this one for such a network.
bool considered(const plan::Strategy& strategy, const graph::Graph& graph);

/// All ways to write `devices` as an ordered product over the strategy's axes; no axis list gives one only for 1.
std::vector<std::vector<plan::MeshAxis>> meshes(const plan::Strategy& strategy, std::int64_t devices);

/// The same mesh with its axes in every other order of those that are larger than 1, the given one first.
std::vector<std::vector<plan::MeshAxis>> placements(const std::vector<plan::MeshAxis>& mesh);

/// Choices of sizes for a strategy's folds: whole shares of what they split (4 of 8 experts), on ranks that there are.
/// Folds that others are apart from stay 1: they are for plans written by hand.
class FoldSizes {
public:
    FoldSizes(const plan::Strategy& strategy, const graph::Graph& graph);
    /// On the plan's mesh; a fold of size 1 is left out.
    [[nodiscard]] std::vector<std::vector<plan::Fold>> of(const plan::Plan& plan) const;

private:
    [[nodiscard]] std::vector<std::int64_t> sizes(const plan::Plan& plan, std::size_t fold) const;

    const plan::Strategy& strategy_;
    std::vector<std::vector<std::int64_t>> extents_;  ///< by fold: of what its rules lay on it
};

/// Sizes of sharding groups: 0 for all ranks that may share states, then every part of them.
std::vector<std::int64_t> shard_groups(const plan::Plan& plan);

/// What one mesh and micro-batch leave open: recomputation x sharding x schedule and chunks, and with them what the
/// space varies. `base` has mesh and micro-batch.
class Variants {
public:
    /// `overlap`, `offload`: what plans have unless that varies.
    Variants(const graph::Graph& graph, const Vary& vary, const plan::Overlap& overlap, const plan::Offload& offload);
    /// In a fixed order: schedules outermost, then recomputation, sharding, offload; overlaps, which leave the memory
    /// as it is, innermost.
    [[nodiscard]] std::vector<Variant> of(const plan::Plan& base) const;

private:
    std::vector<plan::RecomputeKind> recomputes_;
    std::int64_t blocks_ = 0;
    Vary vary_;
    plan::Overlap overlap_;
    plan::Offload offload_;
};

/// The variants as plans.
std::vector<plan::Plan> variants(const plan::Plan& base, const graph::Graph& graph, const Vary& vary = {});

}  // namespace dodona::search
