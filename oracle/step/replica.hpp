// The time and memory of one data replica: the stages of a pipeline, each on its devices.
#pragma once

#include "step/balance.hpp"
#include "step/offload.hpp"
#include "step/pipeline.hpp"
#include "step/stage_memory.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

/// Costs of one stage in a step.
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
    Seconds transfers;  ///< exposed pipeline send/recv
    /// From the first forward pass to the last backward pass.
    [[nodiscard]] Seconds passes() const { return pipeline.total + transfers; }
    /// After the last backward pass every stage reduces, updates and gathers (its tail); the slowest tail ends the
    /// step.
    [[nodiscard]] const StageWork& slowest_tail() const;
};

/// Equal replicas; `on`: by stage, the graph costed on their devices.
struct ReplicaGroup {
    std::vector<const CostedGraph*> on;
    std::int64_t count = 1;
};

/// The groups of a plan. With ZeRO-2 and ZeRO-3 all data ranks synchronise in every micro-batch and are one replica.
std::vector<ReplicaGroup> replica_groups(const CostedGraph& costed, const plan::Plan& plan);

Replica replica(const ReplicaGroup& group, const plan::Plan& plan, const std::vector<Stage>& cut,
                std::int64_t microbatches);

/// Time of a replica's passes with another number of micro-batches.
Seconds passes_of(const Replica& replica, const plan::Plan& plan, std::int64_t microbatches);

Seconds transfers_between_stages(const Replica& replica, const plan::Plan& plan, bool overlapped);

/// A step of a job cut into stages.
///
///   T = max_r passes_r(m_r) + max_r tail_r         sum of m_r: all micro-batches; uneven where replicas differ
///
/// The reduction weights each replica's gradient by its samples, which does not change its time. Not modelled:
/// micro-batches of different size, different cuts of replicas, a reduction that starts before the slowest replica has
/// finished.
struct ComposedStep {
    std::vector<Replica> replicas;       ///< one of each group, with the largest number of micro-batches in it
    std::vector<MicrobatchShare> dealt;  ///< by group
    std::size_t critical = 0;            ///< the group that finishes last

    [[nodiscard]] const StageWork& slowest_tail() const;
    [[nodiscard]] Seconds time() const { return replicas[critical].passes() + slowest_tail().tail(); }
    [[nodiscard]] bool fits() const;
    [[nodiscard]] double fullness() const;  ///< needed over available memory of all stages together
};

/// `microbatches`: of each replica, if all get equally many.
ComposedStep compose_step(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan,
                          const std::vector<Stage>& cut, std::int64_t microbatches);

/// Time of the passes of such a step without copies to and from hosts; cheaper than compose_step.
Seconds passes_alone(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan, const std::vector<Stage>& cut,
                     std::int64_t microbatches);

}  // namespace dodona::step
