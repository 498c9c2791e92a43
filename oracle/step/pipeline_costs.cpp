#include "step/pipeline_costs.hpp"

#include "step/compose_plan.hpp"
#include "step/evaluate.hpp"
#include "step/input_time.hpp"
#include "step/validate.hpp"

namespace dodona::step {

namespace {

/// What one micro-batch keeps at a position.
KeptActivations kept_at(const StageWork& work, const plan::Plan& plan, const VirtualStage& position) {
    return plan.offload.activations
               ? KeptActivations{}
               : kept_activations(*work.on, plan, {{position}}, {{.whole = {1}, .for_weights = {}}}, 0);
}

StageMemory memory_of(const StageWork& work, const plan::Plan& plan) {
    const Bytes kept = plan.offload.activations ? Bytes{} : work.kept.total();
    const MemoryTotals predicted = totals(work.memory);
    const Bytes recompute_peak = work.memory[MemoryPart::recompute];
    return {.predicted = predicted,
            .limit = work.on->memory_limit(),
            .always = predicted.allocated - recompute_peak - kept,
            .recompute_peak = recompute_peak,
            .unusable = plan.fragmentation(work.kept.repeated)};
}

/// Collectives of layers in the passes of a position.
void add_links(const StagePass& pass, PositionCost& position) {
    const auto links = [](const PassCost& of, Seconds whole) { return min(whole, of.layer.value + of.halo.value); };
    position.forward_links = links(pass.forward, position.forward);
    position.recompute_links = links(pass.recompute, position.recompute);
    position.backward_links = links(pass.backward, position.backward);
}

PipelineCosts pipeline_costs(const ComposedStep& composed, const plan::Plan& plan, const TimeParts& time) {
    const Replica& replica = composed.replicas[composed.critical];
    const std::size_t stages = replica.stages.size();
    PipelineCosts costs;
    costs.microbatches = replica.microbatches;
    costs.transfers_overlap = plan.overlap.pipeline;
    costs.outside = time[TimePart::input] + plan.framework.seconds(plan::FrameworkParameter::step);
    const std::vector<Position<Seconds>> positions = positions_of<Seconds>(replica);
    for_each_position(replica, [&](const StageWork& work, const VirtualStageWork& part) {
        const std::size_t k = costs.positions.size();
        const Position<Seconds>& whole = positions[k];
        const schedule::Places& places = replica.places;
        const auto index = static_cast<std::size_t>(places.index(static_cast<std::int64_t>(k)));
        const VirtualStage& here = work.stage.virtual_stages[index];
        PositionCost& position = costs.positions.emplace_back();
        position.forward = whole.forward;
        position.recompute = part.recompute * whole.back;
        position.backward = (1 - part.recompute) * whole.back;
        position.weight_gradients = whole.weight_gradients;
        position.receive = whole.receive;
        position.hidden = whole.hidden;
        const KeptActivations kept = kept_at(work, plan, here);
        position.kept = kept.total();
        position.kept_for_weights = kept.for_weights;
        add_links(part.pass, position);
    });
    for (std::size_t s = 0; s < stages; ++s) {
        const StageWork& work = replica.stages[s];
        costs.tails.push_back({.gradients = work.exposed.gradients,
                               .optimizer = work.update.value + work.offload.exposed_update,
                               .parameters = work.exposed.parameters,
                               .overhead = work.exposed.interference});
        costs.memory.push_back(memory_of(work, plan));
    }
    return costs;
}

/// With ZeRO-2 and ZeRO-3 all data ranks synchronise in every micro-batch.
plan::Atoms replica_atoms(const CostedGraph& costed, const plan::Plan& plan) {
    if (exchanges_every_pass(plan.exchanged_shard())) {
        return 0;
    }
    const plan::Atoms stages = plan.strategy.pipeline ? costed.mesh.axis(*plan.strategy.pipeline) : plan::Atoms{0};
    return data_atoms(costed.mesh, plan.strategy) & ~communicating_atoms(*costed.sharded) & ~stages;
}

}  // namespace

CostedPlan cost_plan(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                     const Location& where) {
    validate(graph, cluster, plan, where);
    const CostedGraph costed = cost_graph(graph, cluster, plan, where);
    CostedPlan costed_plan{evaluate(costed, plan), {}};
    if (costed_plan.prediction.runs) {
        const std::int64_t microbatches = plan.batch / (costed.sharded->data_ways * plan.microbatch);
        ScheduleTimings orders;
        const ComposedStep composed = compose_plan(costed, plan, replica_groups(costed, plan), microbatches, orders);
        costed_plan.costs = pipeline_costs(composed, plan, costed_plan.prediction.time);
        costed_plan.costs.input = InputTime(costed, plan, composed, microbatches).costs();
        costed_plan.costs.replicas = replica_atoms(costed, plan);
        costed_plan.costs.input.fixed = plan.framework.seconds(plan::FrameworkParameter::step);
    }
    return costed_plan;
}

}  // namespace dodona::step
