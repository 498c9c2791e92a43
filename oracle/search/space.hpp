// Enumerates the space: meshes, micro-batches and what may vary on top of them.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.hpp"
#include "schedule/unit_cost.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// All divisors, ascending.
std::vector<std::int64_t> divisors(std::int64_t n);

/// Whether a search over all strategies looks at this one for such a network.
bool considered(const plan::Strategy& strategy, const graph::Graph& graph);

/// All ways to write `devices` as an ordered product over the strategy's axes; no axis list gives one only for 1.
std::vector<std::vector<plan::MeshAxis>> meshes(const plan::Strategy& strategy, std::int64_t devices);

/// The plan with every choice of sizes for the strategy's folds: whole shares of what they split (4 of 8 experts), on
/// ranks that there are. Folds that others are apart from stay 1: they are for plans written by hand.
std::vector<plan::Plan> folded(const plan::Plan& base, const graph::Graph& graph);

/// Plans that share a costed graph: recomputation x sharding x schedule and chunks. `base` has mesh and micro-batch.
std::vector<plan::Plan> variants(const plan::Plan& base, const graph::Graph& graph);

}  // namespace dodona::search
