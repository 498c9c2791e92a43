#include "step/pipeline_costs.hpp"

#include "step/compose_plan.hpp"
#include "step/evaluate.hpp"
#include "step/validate.hpp"

namespace dodona::step {

namespace {

/// Time of a stage's passes in one micro-batch.
struct StageTimes {
    Seconds forward;
    Seconds recompute;
    Seconds backward;
    [[nodiscard]] Seconds total() const { return forward + recompute + backward; }
};

StageTimes kernels_and_collectives(const StagePass& pass) {
    return {pass.forward.total().value, pass.recompute.total().value, pass.backward.total().value};
}

/// The same with what the closed form adds to a stage: waiting for the host, stragglers, copies.
StageTimes with_waits(const StageWork& work) {
    const StagePass& pass = work.pass;
    StageTimes times = kernels_and_collectives(pass);
    const Seconds back = times.backward + times.recompute;
    const Seconds host = host_wait(pass.host_needs, times.forward);
    const Seconds host_back = host_wait(pass.host_needs_back, back);
    const auto share = [](Seconds part, Seconds whole) { return whole > Seconds{} ? part / whole : 0.5; };
    const double copied_forward = share(work.offload.forward, work.offload.forward + work.offload.backward);
    const Seconds alone = times.total() + host + host_back;
    const double factor = alone > Seconds{} ? 1 + pass.overhead / alone : 1;
    const double recomputed = share(times.recompute, back);
    times.forward = factor * (times.forward + host) + copied_forward * pass.offload;
    const Seconds rest = (1 - copied_forward) * pass.offload;
    times.recompute = factor * (times.recompute + recomputed * host_back) + recomputed * rest;
    times.backward = factor * (times.backward + (1 - recomputed) * host_back) + (1 - recomputed) * rest;
    return times;
}

/// `whole` times the share that `part` has in `of`; an equal share where there is nothing to share by.
Seconds dealt(Seconds whole, Seconds part, Seconds of, double equal_share) {
    return of > Seconds{} ? (part / of) * whole : equal_share * whole;
}

PipelineCosts pipeline_costs(const ComposedStep& composed, const plan::Plan& plan, const TimeParts& time) {
    const Replica& replica = composed.replicas[composed.critical];
    const std::size_t stages = replica.stages.size();
    PipelineCosts costs;
    costs.microbatches = replica.microbatches;
    costs.transfers_overlap = plan.overlap.pipeline;
    costs.outside = time[TimePart::input] + plan.framework.seconds(plan::FrameworkParameter::step);
    costs.positions.resize(stages * static_cast<std::size_t>(plan.virtual_stages));
    for (std::size_t s = 0; s < stages; ++s) {
        const StageWork& work = replica.stages[s];
        const StageTimes sum = kernels_and_collectives(work.pass);
        const StageTimes whole = with_waits(work);
        const double equal_share = 1.0 / static_cast<double>(work.stage.virtual_stages.size());
        for (std::size_t c = 0; c < work.stage.virtual_stages.size(); ++c) {
            const StagePass pass = stage_pass(*work.on, plan, {{work.stage.virtual_stages[c]}}, s);
            const StageTimes alone = kernels_and_collectives(pass);
            const std::size_t k = c * stages + s;
            PositionCost& position = costs.positions[k];
            position = {.forward = dealt(whole.forward, alone.forward, sum.forward, equal_share),
                        .recompute = dealt(whole.recompute, alone.recompute, sum.recompute, equal_share),
                        .backward = dealt(whole.backward, alone.backward, sum.backward, equal_share),
                        .weight_gradients = {},
                        .receive = k == 0 || stages == 1 ? Seconds{} : pass.boundary};
            if (alone.backward > Seconds{}) {
                position.weight_gradients = (pass.backward.weight_gradients / alone.backward) * position.backward;
            }
        }
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
