// Pipeline cuts with fewer blocks on the first and last stage, which also hold the embedding and the head.
//
// With L equal blocks on V = stages x virtual_stages: n_0 + (V - 2) k + n_last = L. Software: Megatron-Core's
// --decoder-first-pipeline-num-layers and --decoder-last-pipeline-num-layers; Llama 3 405B has one layer less on both
// (arXiv:2407.21783, section 3.3.2).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "step/pipeline.hpp"
#include "step/schedule_timings.hpp"
#include "step/segment_cost.hpp"

namespace dodona::search {

/// step::pipeline_total.
using PipelineTotal = std::function<Seconds(const step::Pipeline<Seconds>&)>;

/// Blocks by virtual stage (Plan::stages) of at most two such cuts, fastest first, that are faster than the default cut
/// of step::cut_stages. None for jobs on several kinds of devices and for unequal blocks, whose default cut is balanced
/// already. Cuts with an empty stage are left out, and those whose passes alone take `slowest` or longer. `passes`: costs
/// of a micro-batch, on whichever mesh; `on_mesh`: on the plan's, of whichever micro-batch. `plan`: its `stages` are not
/// used.
std::vector<std::vector<std::int64_t>> uneven_cuts(const step::CostedGraph& passes, const step::CostedGraph& on_mesh,
                                                   const plan::Plan& plan, std::int64_t microbatches, Seconds slowest,
                                                   const PipelineTotal& total);
/// Cuts of a plan that is costed on its own.
std::vector<std::vector<std::int64_t>> uneven_cuts(const step::CostedGraph& costed, const plan::Plan& plan,
                                                   step::ScheduleTimings& orders);

}  // namespace dodona::search
