// Memory of one stage at its fullest moment, with all its parts.
#pragma once

#include "schedule/prediction.hpp"
#include "schedule/stages.hpp"
#include "schedule/state_sharding.hpp"

namespace dodona::schedule {

/// Activations: tensors saved for backward, as the recomputation policy leaves them, times the micro-batches that the
/// schedule keeps in flight. Statistics of norms and the log-sum-exp of fused attention are left out (below 0.1 %).
/// Not modelled: fragmentation of the allocator (a cluster's memory_reserve stands for it).
MemoryParts stage_memory(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                         const StageStates& states, std::size_t stage_index, std::size_t stage_count,
                         std::int64_t microbatches);

/// Bytes that one instance of a unit keeps for backward.
Bytes kept_bytes(const UnitCost& unit, const plan::Plan& plan);

}  // namespace dodona::schedule
