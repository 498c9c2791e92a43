#include "schedule/stage_time.hpp"

#include <cmath>

namespace dodona::schedule {

using plan::FrameworkParameter;
using plan::Phase;
using plan::RecomputeKind;

namespace {

PassCost recomputed(const UnitCost& unit, const plan::Plan& plan) {
    switch (plan.recompute) {
        case RecomputeKind::none: return {};
        case RecomputeKind::selective:
        case RecomputeKind::layers: return unit.selective;
        case RecomputeKind::full:
        case RecomputeKind::every: return unit.block ? unit.forward : PassCost{};
    }
    return {};
}

/// Collectives inside a pass that are hidden behind its compute: all-to-alls with `overlap: expert` (behind the other
/// pass of another micro-batch, which has as much to hide behind), the others with `overlap: tensor`. What does not fit
/// shows, and compute loses a share of the time that is hidden.
/// Source: NVIDIA/Megatron-LM: megatron/core/pipeline_parallel/combined_1f1b.py, overlap_moe_expert_parallel_comm.
PassCost overlap_layers(PassCost pass, const plan::Plan& plan) {
    const Seconds exchanged = pass.exchanged.value;
    const Seconds others = pass.layer.value - exchanged;
    const Seconds may = (plan.overlap.expert ? exchanged : Seconds{}) + (plan.overlap.tensor ? others : Seconds{});
    const Seconds window = plan.framework[FrameworkParameter::hidden_layers] * pass.compute.value;
    const Seconds hidden = min(may, window);
    pass.layer = pass.layer.rescaled_to(pass.layer.value - hidden);
    pass.layer += Estimate::exactly(plan.framework[FrameworkParameter::interference] * hidden);
    return pass;
}

/// Ranks of a stage and of the one before it: a pair of neighbours where those lie as close as the first two do, else
/// the whole axis, which crosses every level that any of its neighbours cross. Stage 0 receives from the last (chunks).
cluster::Group neighbours(const CostedGraph& costed, plan::Atoms axis, std::size_t index) {
    const cluster::Group whole = costed.mesh.group(axis);
    if (whole.strides.size() != 1 || index == 0) {
        return whole;
    }
    const std::int64_t stride = whole.strides[0].stride;
    const std::int64_t here = static_cast<std::int64_t>(index) * stride;
    for (std::size_t level = 0; level < costed.cluster->levels.size(); ++level) {
        const std::int64_t unit = costed.cluster->unit_size(level);
        const bool together = here / unit == (here - stride) / unit;
        if (together || stride < unit) {
            return together && stride < unit ? cluster::Group{{{stride, 2}}} : whole;
        }
    }
    return whole;
}

}  // namespace

UnitPass unit_pass(const UnitCost& unit, const plan::Plan& plan) {
    const bool hides = plan.overlap.tensor || plan.overlap.expert;
    const auto adjusted = [&](const PassCost& cost) { return hides ? overlap_layers(cost, plan) : cost; };
    return {adjusted(unit.forward), adjusted(unit.backward), adjusted(recomputed(unit, plan))};
}

Seconds host_wait(Seconds host, Seconds device) {
    if (host <= Seconds{}) {
        return {};
    }
    const Seconds longer = max(host, device);
    const double shorter = min(host, device) / longer;
    return std::sqrt(std::sqrt(1 + shorter * shorter * shorter * shorter)) * longer - device;
}

StagePass stage_pass(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage, std::size_t index) {
    StagePass pass;
    for (std::size_t u = 0; u < costed.units.size(); ++u) {
        const auto count = static_cast<double>(stage.count(u));
        if (count == 0) {
            continue;
        }
        const UnitPass unit = unit_pass(costed.units[u], plan);
        pass.forward += count * unit.forward;
        pass.backward += count * unit.backward;
        pass.recompute += count * unit.recompute;
    }
    const Seconds launch = plan.framework.seconds(FrameworkParameter::launch);
    const Seconds back = (pass.backward.total() + pass.recompute.total()).value;
    pass.host = host_wait(pass.forward.launches * launch, pass.forward.total().value) +
                host_wait((pass.backward.launches + pass.recompute.launches) * launch, back);
    const double doublings = std::log2(static_cast<double>(costed.mesh.devices()));
    pass.overhead = plan.framework[FrameworkParameter::stragglers] * doublings * pass.total().value;
    pass.arriving = incoming(costed, stage, boundary_split(costed, plan));
    if (plan.strategy.pipeline && pass.arriving.sent > Bytes{}) {
        const plan::Atoms axis = costed.mesh.axis(*plan.strategy.pipeline);
        pass.send = time_of(costed, cluster::Collective::send, neighbours(costed, axis, index), pass.arriving.sent,
                            plan.algorithm);
        pass.boundary = pass.send.time.value;
        if (pass.arriving.gathered > Bytes{}) {
            pass.gather = time_of(costed, cluster::Collective::all_gather, boundary_split(costed, plan),
                                  pass.arriving.gathered, plan.algorithm);
            pass.boundary += pass.gather.time.value;
        }
    }
    return pass;
}

Seconds exposed(Seconds transfer, Seconds window, std::int64_t buckets, bool overlapped) {
    if (!overlapped) {
        return transfer;
    }
    const double n = static_cast<double>(buckets);
    return max(transfer / n, transfer - window * (1.0 - 1.0 / n));
}

ExposedStates exposed_states(const std::vector<StateTransfer>& transfers, const StagePass& pass, const plan::Plan& plan,
                             std::int64_t microbatches, std::int64_t buckets) {
    // Transfers that run beside the same pass compete for it: sum them first.
    struct Lane {
        Seconds once;      ///< once a step
        Seconds per_pass;  ///< every micro-batch
    };
    Lane gradients, forward, backward;
    ExposedStates result;
    for (const StateTransfer& transfer : transfers) {
        const Seconds time = transfer.time.time.value;
        const Seconds busy = transfer.per_step * time;
        if (transfer.what == StateTransfer::What::parameters) {
            result.parameters_busy += busy;
            Lane& lane = transfer.beside == Phase::forward ? forward : backward;
            (transfer.per_pass ? lane.per_pass : lane.once) += time;
        } else {
            result.gradients_busy += busy;
            (transfer.per_pass ? gradients.per_pass : gradients.once) += time;
        }
    }
    const double m = static_cast<double>(microbatches);
    const double share = plan.framework[FrameworkParameter::hidden_states];
    const Seconds forward_window = share * pass.forward.compute.value;
    const Seconds backward_window = share * (pass.backward.compute.value + pass.recompute.compute.value);
    const bool hides_parameters = plan.overlap.parameters;
    const bool hides_gradients = plan.overlap.gradients;
    result.parameters = exposed(forward.once, forward_window, buckets, hides_parameters) +
                        m * exposed(forward.per_pass, forward_window, buckets, hides_parameters);
    // Gathers for backward and reductions share the backward window; gathers come first.
    const Seconds gathered = exposed(backward.per_pass, backward_window, buckets, hides_parameters);
    const Seconds hidden = hides_parameters ? backward.per_pass - gathered : Seconds{};
    const Seconds left = max(Seconds{}, backward_window - hidden);
    result.parameters += m * gathered;
    result.gradients = m * exposed(gradients.per_pass, left, buckets, hides_gradients) +
                       exposed(gradients.once, left, buckets, hides_gradients);
    const Seconds busy = result.gradients_busy + result.parameters_busy;
    result.interference =
        plan.framework[FrameworkParameter::interference] * max(Seconds{}, busy - result.gradients - result.parameters);
    return result;
}

}  // namespace dodona::schedule
