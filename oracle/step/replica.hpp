// The time and memory of one data replica: the stages of a pipeline, each on its devices.
#pragma once

#include "step/balance.hpp"
#include "step/offload.hpp"
#include "step/pipeline.hpp"
#include "step/stage_memory.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

/// What a virtual stage has of the passes of its stage, and what it receives from the one before.
struct VirtualStageWork {
    StagePass pass;
    double forward = 1;  ///< share of the stage's time
    double back = 1;
    double recompute = 0;   ///< share of its own backward time
    double weights = 0;     ///< ... for gradients of weights
    Boundary boundary;      ///< no time at the first position, nor where the stage itself has the position before
    cost::DualTime hidden;  ///< Position::hidden
};

/// Costs of one stage in a step.
struct StageWork {
    const CostedGraph* on = nullptr;  ///< the graph on the devices of this stage
    Stage stage;
    StagePass pass;
    std::vector<VirtualStageWork> virtual_stages;
    StageStates states;
    std::vector<StateTransfer> transfers;  ///< of states, tied weights included
    ExposedStates exposed;
    Estimate update;
    StageOffload offload;
    KeptActivations kept;
    MemoryParts memory;
    [[nodiscard]] Seconds tail() const {
        return exposed.gradients + exposed.parameters + exposed.interference + offload.exposed_update + update.value;
    }
};

struct Replica {
    schedule::Places places;
    std::int64_t microbatches = 1;
    std::vector<StageWork> stages;
    PipelineTime pipeline;
    /// Those that run each position of a stage: fewer where several stages share a position.
    [[nodiscard]] std::int64_t microbatches_of_stage() const { return microbatches / places.copies(); }
    /// From the first forward pass to the last backward pass.
    [[nodiscard]] Seconds passes() const { return pipeline.total; }
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
                std::int64_t microbatches, ScheduleTimings& orders);

/// Time of a replica's passes with another number of micro-batches.
Seconds passes_of(const Replica& replica, const plan::Plan& plan, std::int64_t microbatches);

/// Calls `visit(stage, virtual stage)` for each position in forward order, in the direction of the first micro-batches.
template <class Visit>
void for_each_position(const Replica& replica, Visit visit) {
    for (std::int64_t k = 0; k < replica.places.positions(); ++k) {
        const StageWork& stage = replica.stages[static_cast<std::size_t>(replica.places.stage(k))];
        visit(stage, stage.virtual_stages[static_cast<std::size_t>(replica.places.index(k))]);
    }
}

/// The stage whose link to the one before it brings the input of a stage's position `index`: of neighbours the later one;
/// 0 for the whole pipeline, from its last stage to its first.
std::size_t receiver(const schedule::Places& places, std::size_t stage, std::size_t index);

/// What is received at a position: the slowest of all stages that hold it.
const Boundary& boundary_at(const Replica& replica, std::int64_t position);

/// What a stage receives for each micro-batch: inputs, and gradients of what it sent.
std::vector<Boundary> received(const Replica& replica, std::size_t stage);

/// The positions of a replica's pipeline. Number: Seconds or DualTime.
template <class Number>
std::vector<Position<Number>> positions_of(const Replica& replica);
template <>
std::vector<Position<Seconds>> positions_of(const Replica& replica);
template <>
std::vector<Position<cost::DualTime>> positions_of(const Replica& replica);

/// The pipeline of these positions. Domain: `positions` outlives it.
template <class Number>
Pipeline<Number> pipeline_of(const std::vector<Position<Number>>& positions, const plan::Plan& plan,
                             std::int64_t microbatches) {
    return {.positions = positions,
            .stages = static_cast<std::int64_t>(positions.size()) / plan.virtual_stages,
            .microbatches = microbatches,
            .schedule = plan.schedule,
            .transfers_overlap = plan.overlap.pipeline};
}

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
                          const std::vector<Stage>& cut, std::int64_t microbatches, ScheduleTimings& orders);

/// Time of the passes of such a step without copies to and from hosts; cheaper than compose_step.
Seconds passes_alone(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan, const std::vector<Stage>& cut,
                     std::int64_t microbatches);

}  // namespace dodona::step
