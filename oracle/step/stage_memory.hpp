// Peak memory of one stage, with all its parts.
#pragma once

#include "schedule/in_flight.hpp"
#include "step/prediction.hpp"
#include "step/stages.hpp"
#include "step/state_sharding.hpp"

namespace dodona::step {

/// Tensors kept for backward under the recomputation policy. With a checkpoint every k blocks, a virtual stage of n
/// blocks keeps ceil(n/k) block inputs and recomputes at most k blocks at a time.
struct KeptActivations {
    Bytes blocks;                      ///< all micro-batches in flight
    Bytes token;                       ///< the same, of token layers outside the blocks
    Bytes microbatch;                  ///< the same as `blocks`, of one micro-batch through all virtual stages
    Bytes for_weights;                 ///< of one, after gradients of inputs where those of weights are put off
    Bytes largest;                     ///< the same, of one segment instance and one micro-batch
    Bytes transient;                   ///< most at a time beside these: gradients of a layer's inputs and output
    Bytes results;                     ///< logits of all micro-batches of a step (MemoryTensors::pipeline_results)
    Bytes loss;                        ///< most of the loss at a time in addition to all that is kept; 0 without one
    Bytes recompute_peak;              ///< what dropped tensors add to the peak, which live while they are used again
    std::int64_t segments = 1;         ///< segment instances of the stage
    bool one_pass = false;             ///< of the step's only micro-batch, without a pipeline
    std::int64_t weight_versions = 1;  ///< those that micro-batches in flight started with
    std::size_t heaviest = 0;          ///< the holding that counts
    double repeated = 1;               ///< share of the blocks of the stage that are recomputed, where the plan does
    [[nodiscard]] Bytes total() const { return blocks + token; }
};

/// `held`: micro-batches in flight, by virtual stage; the heaviest counts. `microbatches`: of a step.
/// Domain: one or more.
KeptActivations kept_activations(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                                 const std::vector<schedule::Holding>& held, std::int64_t microbatches);

/// Memory from the allocator at moments of a step, without what it reserves and cannot use. The peak of `stage_memory` is
/// that of backward, or of the update where that is more; copies of an update and buckets come on top of it there, since
/// no segment that activations leave is as large.
struct MemoryMoments {
    Bytes forward;    ///< the last micro-batch in flight has ended its forward pass
    Bytes loss;       ///< 0 without a loss
    Bytes backward;   ///< the most of a backward pass
    Bytes reduction;  ///< of gradients, at the end of the step
    Bytes update;
};

/// What one instance of a segment keeps of a micro-batch at least, whatever shares its stage.
Bytes least_kept(const SegmentCost& segment, const plan::Plan& plan);

/// Memory of a stage without states and kept activations.
struct StageBuffers {
    Bytes workspace;   ///< of libraries, placeholders, the cast of a gradient
    Bytes message;     ///< the largest collective of a layer
    Bytes waiting;     ///< messages of a forward pass that the host has started and the device has not sent
    Bytes neighbours;  ///< send and receive buffers of pipeline neighbours, two in each direction
    Bytes reduction;   ///< gradient buckets (MemoryProfile)
    std::size_t communicators = 0;
    Bytes context;
    Bytes limit;  ///< memory of the device, which what waits does not exceed
};
StageBuffers stage_buffers(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                           const std::vector<StateTransfer>& transfers, std::size_t stage_count);

/// Statistics of norms and the log-sum-exp of fused attention are left out (below 0.1 %). Offloaded tensors leave two
/// buffers of the largest segment on the device, but for states that the host updates; activations of layers outside blocks
/// stay there. The plan's memory profile adds what software needs; the cluster's memory_reserve is kept free. Not modelled:
/// connections of all-to-all groups to each peer, the lifetime of a table's dense gradient, what gradients of weights that
/// are put off keep inside the segment that is going backward.
MemoryParts stage_memory(const plan::Plan& plan, const StateSums& states, const KeptActivations& kept,
                         const StageBuffers& buffers);
MemoryMoments memory_moments(const plan::Plan& plan, const StateSums& states, const KeptActivations& kept,
                             const StageBuffers& buffers);
MemoryParts stage_memory(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                         const StageStates& states, const KeptActivations& kept, std::size_t stage_count);

}  // namespace dodona::step
