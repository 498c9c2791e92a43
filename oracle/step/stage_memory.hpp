// Memory of one stage at its fullest moment, with all its parts.
#pragma once

#include "step/prediction.hpp"
#include "step/stages.hpp"
#include "step/state_sharding.hpp"

namespace dodona::step {

/// Tensors kept for backward, as the recomputation policy leaves them. Of a checkpoint every k blocks, a chunk of n
/// blocks keeps ceil(n/k) block inputs and computes at most k blocks again at a time.
struct KeptActivations {
    Bytes blocks;               ///< all micro-batches in flight
    Bytes token;                ///< the same, of token layers outside the blocks
    Bytes microbatch;           ///< of one micro-batch through all chunks
    Bytes largest;              ///< of one segment instance and one micro-batch
    Bytes working;              ///< alive only while blocks are recomputed: what was dropped
    std::int64_t segments = 1;  ///< segment instances of the stage
    [[nodiscard]] Bytes total() const { return blocks + token; }
};

/// `held`: micro-batches in flight, by chunk.
KeptActivations kept_activations(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                                 const std::vector<std::int64_t>& held);

/// What a stage needs beside its states and what it keeps.
struct StageBuffers {
    Bytes workspace;
    Bytes message;     ///< the largest collective of a layer
    Bytes neighbours;  ///< two tensors each way for neighbours in the pipeline
    Bytes reduction;   ///< buckets of reductions (MemoryProfile)
    std::size_t communicators = 0;
    Bytes context;
};
StageBuffers stage_buffers(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                           const std::vector<StateTransfer>& transfers, std::size_t stage_count);

/// Statistics of norms and the log-sum-exp of fused attention are left out (below 0.1 %). What is offloaded leaves two
/// buffers of its largest segment on the device.
/// What software adds is the plan's memory profile; what a cluster keeps free is its memory_reserve. Not modelled:
/// connections of all-to-all groups to each peer, the moment at which a table's dense gradient is there.
MemoryParts stage_memory(const plan::Plan& plan, const StateSums& states, const KeptActivations& kept,
                         const StageBuffers& buffers);
MemoryParts stage_memory(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                         const StageStates& states, const KeptActivations& kept, std::size_t stage_count);

}  // namespace dodona::step
