#include "schedule/stage_time.hpp"

#include <algorithm>
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
    const double share = plan.framework[FrameworkParameter::hidden_layers];
    const double interference = plan.framework[FrameworkParameter::interference];
    const Seconds exchanged = pass.exchanged.value;
    const Seconds others = pass.layer.value - exchanged;
    const Seconds may = (plan.overlap.expert ? exchanged : Seconds{}) + (plan.overlap.tensor ? others : Seconds{});
    const Seconds window = share * pass.compute.value;
    const Seconds hidden = min(may, window);
    const bool shows = may > window;
    const Seconds collectives = pass.layer.value + pass.halo.value;
    const double hides = shows || collectives <= Seconds{} ? 0 : may / collectives;
    for (std::size_t i = 0; i < cost::kPassSources; ++i) {
        const double lost = i >= cost::kKernelSources ? hides : shows ? share : 0;
        pass.by_source.values[i] = (1 - lost * (1 - interference)) * pass.by_source.values[i];
    }
    pass.by_source[cost::ErrorSource::hidden_layers] = Estimate::exactly((shows ? interference - 1 : 0) * window);
    pass.by_source[cost::ErrorSource::interference] = Estimate::exactly(interference * hidden);
    pass.layer = pass.layer.rescaled_to(pass.layer.value - hidden);
    pass.layer += Estimate::exactly(interference * hidden);
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
    return std::pow(1 + std::pow(shorter, kHostSharpness), 1 / kHostSharpness) * longer - device;
}

double host_share(Seconds host, Seconds device) {
    if (host <= Seconds{}) {
        return 0;
    }
    const double share = host / (device + host_wait(host, device));
    return std::pow(share, kHostSharpness);
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
    pass.host_needs = pass.forward.launches * launch;
    pass.host_needs_back = (pass.backward.launches + pass.recompute.launches) * launch;
    pass.host = host_wait(pass.host_needs, pass.forward.total().value) + host_wait(pass.host_needs_back, back);
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

namespace {

/// What shows of a transfer, and its derivatives by the transfer and by the window.
struct Shown {
    Seconds time;
    double by_transfer = 1;
    double by_window = 0;

    Shown(Seconds transfer, Seconds window, std::int64_t buckets, bool overlapped)
        : time(exposed(transfer, window, buckets, overlapped)) {
        const double n = static_cast<double>(buckets);
        if (overlapped && time <= transfer / n) {
            by_transfer = 1 / n;
        } else if (overlapped) {
            by_window = -(1 - 1 / n);
        }
    }
};

/// Transfers that run beside the same pass compete for it: they add up.
struct Lane {
    Seconds time;
    cost::PassTimes by_source;  ///< collectives only
    void add(const cluster::Cluster& cluster, const cost::CollectiveTime& transfer) {
        time += transfer.time.value;
        by_source[cost::source_of(cluster, transfer)] += transfer.time;
    }
};

/// Kernels of a pass; its collectives give nothing to hide behind.
cost::PassTimes kernels_of(const PassCost& pass) {
    cost::PassTimes kernels;
    std::copy_n(pass.by_source.values.begin(), cost::kKernelSources, kernels.values.begin());
    return kernels;
}

}  // namespace

ExposedStates exposed_states(const std::vector<StateTransfer>& transfers, const StagePass& pass,
                             const StateSteps& steps) {
    const plan::Plan& plan = steps.plan;
    Lane reduced_once, reduced, gathered_once, gathered, gathered_again;
    ExposedStates result;
    for (const StateTransfer& transfer : transfers) {
        const Seconds busy = transfer.per_step * transfer.time.time.value;
        if (transfer.what == StateTransfer::What::parameters) {
            result.parameters_busy += busy;
            const bool forward = transfer.beside == Phase::forward;
            Lane& lane = !forward ? gathered_again : transfer.per_pass ? gathered : gathered_once;
            lane.add(steps.cluster, transfer.time);
        } else {
            result.gradients_busy += busy;
            (transfer.per_pass ? reduced : reduced_once).add(steps.cluster, transfer.time);
        }
    }
    const double m = static_cast<double>(steps.microbatches);
    const double share = plan.framework[FrameworkParameter::hidden_states];
    const double interference = plan.framework[FrameworkParameter::interference];
    const Seconds forward_window = share * pass.forward.compute.value;
    const Seconds backward_window = share * (pass.backward.compute.value + pass.recompute.compute.value);
    const bool hides_parameters = plan.overlap.parameters;
    const bool hides_gradients = plan.overlap.gradients;
    const Shown once(gathered_once.time, forward_window, steps.buckets, hides_parameters);
    const Shown forward(gathered.time, forward_window, steps.buckets, hides_parameters);
    // Gathers for backward and reductions share the backward window; gathers come first.
    const Shown again(gathered_again.time, backward_window, steps.buckets, hides_parameters);
    const Seconds left = max(Seconds{}, backward_window - (gathered_again.time - again.time));
    const Shown every(reduced.time, left, steps.buckets, hides_gradients);
    const Shown last(reduced_once.time, left, steps.buckets, hides_gradients);
    result.parameters = once.time + m * (forward.time + again.time);
    result.gradients = m * every.time + last.time;
    const Seconds busy = result.gradients_busy + result.parameters_busy;
    const Seconds hidden = max(Seconds{}, busy - result.gradients - result.parameters);
    result.interference = interference * hidden;

    // What shows counts in full, what hides by its interference.
    const double x = 1 - interference;
    const double by_left = left > Seconds{} ? m * every.by_window + last.by_window : 0;
    const double by_forward = x * (once.by_window + m * forward.by_window);
    const double by_backward = x * (m * again.by_window + by_left * (1 + again.by_window));
    cost::StepTimes& sources = result.by_source;
    sources += (x * once.by_transfer + interference) * gathered_once.by_source;
    sources += m * (x * forward.by_transfer + interference) * gathered.by_source;
    sources +=
        (m * (x * again.by_transfer + interference) - x * by_left * (1 - again.by_transfer)) * gathered_again.by_source;
    sources += m * (x * every.by_transfer + interference) * reduced.by_source;
    sources += (x * last.by_transfer + interference) * reduced_once.by_source;
    sources += by_forward * share * kernels_of(pass.forward);
    sources += by_backward * share * kernels_of(pass.backward);
    sources += by_backward * share * kernels_of(pass.recompute);
    sources[cost::ErrorSource::hidden_states] +=
        Estimate::exactly(by_forward * forward_window + by_backward * backward_window);
    sources[cost::ErrorSource::interference] += Estimate::exactly(result.interference);
    return result;
}

}  // namespace dodona::schedule
