// Tensors on the device of each stage while a step is played.
//
//   allocated = always + activations + recompute_peak
//
// A forward pass allocates the activations that its micro-batch keeps at its position; they are free after the backward
// pass. Where the schedule puts off gradients of weights, what these need stays until they are there. Recomputation adds
// recompute_peak from its begin to the end of the backward pass. What is always there is that of the
// closed form (step/stage_memory.hpp), whose peak this has where the order is the plan's. Not modelled: gradients that
// are allocated by the first backward pass; transient tensors by the layer, which played_allocator.hpp has.
#pragma once

#include <functional>
#include <vector>

#include "play/step_tasks.hpp"
#include "simulate/timeline.hpp"
#include "step/pipeline_costs.hpp"

namespace dodona::play {

/// Spans of equal length that a step is divided into for reports.
inline constexpr std::size_t kMemorySpans = 50;

/// Of one stage.
struct MemoryUse {
    Bytes peak;                  ///< allocated
    Seconds at;                  ///< when the peak is first reached
    Bytes process;               ///< at the peak, with the allocator's unused blocks, communicators and context
    std::vector<Bytes> by_span;  ///< the largest in each span of the makespan; empty for a step that takes no time
};

/// Calls `visit` for each change of what a stage has allocated, in the order of time within a stage.
void visit_memory(const StepTasks& steps, const simulate::Timeline& timeline, const step::PipelineCosts& costs,
                  const std::function<void(std::int32_t stage, Seconds at, Bytes allocated)>& visit);

/// By stage.
std::vector<MemoryUse> memory_uses(const StepTasks& steps, const simulate::Timeline& timeline,
                                   const step::PipelineCosts& costs);

}  // namespace dodona::play
