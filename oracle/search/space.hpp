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

/// All ways to write `devices` as an ordered product over the strategy's axes; no axis list gives one only for 1.
std::vector<std::vector<plan::MeshAxis>> meshes(const plan::Strategy& strategy, std::int64_t devices);

/// Plans that share a costed graph: recomputation x sharding x schedule and chunks. `base` has mesh and micro-batch.
std::vector<plan::Plan> variants(const plan::Plan& base, const graph::Graph& graph);

}  // namespace dodona::search
