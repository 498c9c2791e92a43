// One data replica: the stages of a pipeline, each on its devices, with all that they do in a step.
#pragma once

#include "step/balance.hpp"
#include "step/offload.hpp"
#include "step/pipeline.hpp"
#include "step/stage_memory.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

/// All that is known of one stage before stages are put together.
struct StageWork {
    const CostedGraph* on = nullptr;  ///< the graph on the devices of this stage
    Stage stage;
    StagePass pass;
    StageStates states;
    std::vector<StateTransfer> transfers;  ///< of states, tied weights included
    ExposedStates exposed;
    Estimate update;
    StageOffload offload;
    MemoryParts memory;
    [[nodiscard]] Seconds tail() const {
        return exposed.gradients + exposed.parameters + exposed.interference + offload.exposed_update + update.value;
    }
};

struct Replica {
    std::int64_t microbatches = 1;
    std::vector<StageWork> stages;
    PipelineTime pipeline;
    Seconds transfers;  ///< between stages, as far as they show
    /// From the first forward pass to the last backward pass.
    [[nodiscard]] Seconds passes() const { return pipeline.total + transfers; }
    /// After the last backward pass every stage reduces, updates and gathers; the slowest ends the step.
    [[nodiscard]] const StageWork& slowest_tail() const;
};

/// Replicas that are alike: by stage, the graph on their devices.
struct ReplicaGroup {
    std::vector<const CostedGraph*> on;
    std::int64_t count = 1;
};

/// The groups of a plan. Gradients or parameters that are sharded travel in every micro-batch and keep all data ranks in
/// step.
std::vector<ReplicaGroup> replica_groups(const CostedGraph& costed, const plan::Plan& plan);

Replica replica(const ReplicaGroup& group, const plan::Plan& plan, const std::vector<Stage>& cut,
                std::int64_t microbatches);

/// What a replica's passes would take with another number of micro-batches.
Seconds passes_of(const Replica& replica, const plan::Plan& plan, std::int64_t microbatches);

Seconds transfers_between_stages(const Replica& replica, const plan::Plan& plan, bool overlapped);

/// A composed, cut into stages.
///
///   T = max_r passes_r(m_r) + max_r tail_r         sum of m_r: all micro-batches; uneven where replicas differ
///
/// Reduction weighs each replica's gradient by its samples; its time is the same. Not modelled: micro-batches of
/// different size, replicas cut differently, a reduction that begins before the slowest replica is there.
struct ComposedStep {
    std::vector<Replica> replicas;       ///< one of each group, with the most micro-batches that one of them gets
    std::vector<MicrobatchShare> dealt;  ///< by group
    std::size_t critical = 0;            ///< the group that is done last

    [[nodiscard]] const StageWork& slowest_tail() const;
    [[nodiscard]] Seconds time() const { return replicas[critical].passes() + slowest_tail().tail(); }
    [[nodiscard]] bool fits() const;
    [[nodiscard]] double fullness() const;  ///< what all stages need over what they have
};

/// `microbatches`: of each replica if all get as many.
ComposedStep compose_step(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan,
                          const std::vector<Stage>& cut, std::int64_t microbatches);

/// What the passes of such a composed take, without copies to and from hosts: quick.
Seconds passes_alone(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan, const std::vector<Stage>& cut,
                     std::int64_t microbatches);

}  // namespace dodona::step
