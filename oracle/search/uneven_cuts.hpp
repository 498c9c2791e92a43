// Pipeline cuts whose first and last stage have fewer blocks, for the embedding before and the head behind them.
//
// With L equal blocks on V = stages x chunks virtual stages: n_0 + (V - 2) k + n_last = L. The first virtual stage also
// has what comes before the blocks, the last what comes after. Software: Megatron-Core's
// --decoder-first-pipeline-num-layers and --decoder-last-pipeline-num-layers; Llama 3 405B has one layer less on both
// (arXiv:2407.21783, section 3.3.2).
#pragma once

#include <cstdint>
#include <vector>

#include "step/segment_cost.hpp"

namespace dodona::search {

/// Blocks by virtual stage (Plan::stages) of such cuts whose passes take less time than those of the cut that
/// step::cut_stages makes unasked, fastest first, two at most. None for a mixed job, for blocks that are not alike
/// (those are balanced as they are) or where one stage has nothing to do. `plan`: with its schedule, chunks,
/// recomputation and micro-batch; its stages are not looked at.
std::vector<std::vector<std::int64_t>> uneven_cuts(const step::CostedGraph& costed, const plan::Plan& plan);

}  // namespace dodona::search
