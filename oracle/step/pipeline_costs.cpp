#include "step/pipeline_costs.hpp"

#include "step/compose_plan.hpp"
#include "step/evaluate.hpp"
#include "step/validate.hpp"

namespace dodona::step {

namespace {

PipelineCosts pipeline_costs(const ComposedStep& composed, const plan::Plan& plan, const TimeParts& time) {
    const Replica& replica = composed.replicas[composed.critical];
    PipelineCosts costs;
    costs.microbatches = replica.microbatches;
    costs.transfers_overlap = plan.overlap.pipeline;
    costs.outside = time[TimePart::input] + plan.framework.seconds(plan::FrameworkParameter::step);
    const std::vector<Position<Seconds>> positions = positions_of<Seconds>(replica);
    for_each_position(replica, [&](const StageWork& /*stage*/, const VirtualStageWork& part) {
        const Position<Seconds>& position = positions[costs.positions.size()];
        costs.positions.push_back({.forward = position.forward,
                                   .recompute = part.recompute * position.back,
                                   .backward = (1 - part.recompute) * position.back,
                                   .weight_gradients = position.weight_gradients,
                                   .receive = position.receive});
    });
    for (const StageWork& work : replica.stages) {
        costs.tails.push_back({.gradients = work.exposed.gradients,
                               .optimizer = work.update.value + work.offload.exposed_update,
                               .parameters = work.exposed.parameters,
                               .overhead = work.exposed.interference});
    }
    return costs;
}

}  // namespace

CostedPlan cost_plan(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                     const Location& where) {
    validate(graph, cluster, plan, where);
    const CostedGraph costed = cost_graph(graph, cluster, plan, where);
    CostedPlan costed_plan{evaluate(costed, plan), {}};
    if (costed_plan.prediction.runs) {
        const std::int64_t microbatches = plan.batch / (costed.sharded.data_ways * plan.microbatch);
        const ComposedStep composed = compose_plan(costed, plan, replica_groups(costed, plan), microbatches);
        costed_plan.costs = pipeline_costs(composed, plan, costed_plan.prediction.time);
    }
    return costed_plan;
}

}  // namespace dodona::step
