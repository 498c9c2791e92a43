#include "step/stage_time.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::step {

using plan::FrameworkParameter;
using plan::Phase;
using plan::RecomputeKind;

PassCost recomputed(const SegmentCost& segment, RecomputeKind recompute) {
    switch (recompute) {
        case RecomputeKind::none: return {};
        case RecomputeKind::selective:
        case RecomputeKind::layers: return segment.selective;
        case RecomputeKind::full:
        case RecomputeKind::every: return segment.recomputes() ? segment.forward : PassCost{};
    }
    return {};
}

PassSeconds& PassSeconds::operator+=(const PassSeconds& other) {
    compute += other.compute;
    layer += other.layer;
    exchanged += other.exchanged;
    halo += other.halo;
    weight_gradients += other.weight_gradients;
    launches += other.launches;
    return *this;
}

PassSeconds operator*(double ratio, const PassSeconds& pass) {
    return {ratio * pass.compute,          ratio * pass.layer,   ratio * pass.exchanged, ratio * pass.halo,
            ratio * pass.weight_gradients, ratio * pass.launches};
}

PassSeconds seconds_of(const PassCost& cost) {
    return {cost.compute.value, cost.layer.value,      cost.exchanged.value,
            cost.halo.value,    cost.weight_gradients, cost.launches};
}

HiddenLayers hidden_layers(const PassSeconds& pass, const plan::Plan& plan) {
    const Seconds others = pass.layer - pass.exchanged;
    return {.may = (plan.overlap.expert ? pass.exchanged : Seconds{}) + (plan.overlap.tensor ? others : Seconds{}),
            .window = plan.framework[FrameworkParameter::overlap_layers] * pass.compute};
}

PassSeconds overlapped(PassSeconds pass, const plan::Plan& plan) {
    const Seconds hidden = hidden_layers(pass, plan).hidden();
    pass.layer = pass.layer - hidden + plan.framework[FrameworkParameter::interference] * hidden;
    return pass;
}

namespace {

/// Collectives of a pass that hide behind compute: all-to-alls with `overlap: expert` (behind the opposite pass of
/// another micro-batch, which has as much compute), the others with `overlap: tensor`. What does not fit is exposed,
/// and compute loses a share of the hidden time. Source: NVIDIA/Megatron-LM:
/// megatron/core/pipeline_parallel/combined_1f1b.py, overlap_moe_expert_parallel_comm.
PassCost overlap_layers(PassCost pass, const plan::Plan& plan) {
    const double share = plan.framework[FrameworkParameter::overlap_layers];
    const double interference = plan.framework[FrameworkParameter::interference];
    const HiddenLayers hides_here = hidden_layers(seconds_of(pass), plan);
    const auto [may, window] = hides_here;
    const Seconds hidden = hides_here.hidden();
    const bool shows = may > window;
    const Seconds collectives = pass.layer.value + pass.halo.value;
    const double hides = shows || collectives <= Seconds{} ? 0 : may / collectives;
    for (std::size_t i = 0; i < cost::kPassSources; ++i) {
        const double lost = i >= cost::kKernelSources ? hides : shows ? share : 0;
        pass.by_source.values[i] = (1 - lost * (1 - interference)) * pass.by_source.values[i];
    }
    pass.by_source[cost::ErrorSource::overlap_layers] = Estimate::exactly((shows ? interference - 1 : 0) * window);
    pass.by_source[cost::ErrorSource::interference] = Estimate::exactly(interference * hidden);
    pass.layer = pass.layer.rescaled_to(pass.layer.value - hidden);
    pass.layer += Estimate::exactly(interference * hidden);
    return pass;
}

}  // namespace

Hideable hideable(const PassCost& pass, const plan::Plan& plan) {
    Hideable found;
    const Seconds collectives = pass.layer.value + pass.halo.value;
    if (!plan.overlap.expert && collectives > Seconds{}) {
        found.exchanged.value = pass.exchanged.value;
        cost::PassTimes sources = pass.by_source;
        std::fill_n(sources.values.begin(), cost::kKernelSources, Estimate{});
        found.exchanged.by_source += (pass.exchanged.value / collectives) * sources;
    }
    const double share = plan.framework[FrameworkParameter::overlap_layers];
    found.window.value = share * pass.compute.value;
    cost::PassTimes kernels;
    std::copy_n(pass.by_source.values.begin(), cost::kKernelSources, kernels.values.begin());
    found.window.by_source += share * kernels;
    found.window.by_source[cost::ErrorSource::overlap_layers] += Estimate::exactly(found.window.value);
    return found;
}

cost::Sourced hidden_in_pair(const Hideable& a, const Hideable& b, const plan::Plan& plan) {
    const auto shorter = [](const cost::Sourced& x, const cost::Sourced& y) { return y < x ? y : x; };
    const cost::Sourced hidden = shorter(a.exchanged, b.window) + shorter(b.exchanged, a.window);
    const double interference = plan.framework[FrameworkParameter::interference];
    cost::Sourced shorter_by = (1 - interference) * hidden;
    shorter_by.by_source[cost::ErrorSource::interference] += Estimate::exactly(-interference * hidden.value);
    return shorter_by;
}

cluster::Group neighbours(const CostedGraph& costed, plan::Atoms axis, std::size_t index) {
    const cluster::Group whole = costed.mesh.group(axis);
    if (whole.strides.size() != 1 || index == 0) {
        return whole;
    }
    const std::int64_t stride = whole.strides[0].stride;
    const std::int64_t here = static_cast<std::int64_t>(index) * stride;
    for (std::size_t level = 0; level < costed.cluster->levels.size(); ++level) {
        const std::int64_t segment = costed.cluster->domain_size(level);
        const bool together = here / segment == (here - stride) / segment;
        if (together || stride < segment) {
            return together && stride < segment ? cluster::Group{{{stride, 2}}} : whole;
        }
    }
    return whole;
}

SegmentPass segment_pass(const SegmentCost& segment, const plan::Plan& plan) {
    const bool hides = plan.overlap.tensor || plan.overlap.expert;
    const auto adjusted = [&](const PassCost& cost) { return hides ? overlap_layers(cost, plan) : cost; };
    return {adjusted(segment.forward), adjusted(segment.backward), adjusted(recomputed(segment, plan.recompute))};
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

PassWaits pass_waits(const PassSeconds& forward, const PassSeconds& backward, const PassSeconds& recompute,
                     const plan::Framework& framework, std::int64_t devices) {
    const Seconds launch = framework.seconds(FrameworkParameter::launch);
    const Seconds back = backward.total() + recompute.total();
    PassWaits waits;
    waits.host_needs = forward.launches * launch;
    waits.host_needs_back = (backward.launches + recompute.launches) * launch;
    waits.host = host_wait(waits.host_needs, forward.total());
    waits.host_back = host_wait(waits.host_needs_back, back);
    const double doublings = std::log2(static_cast<double>(devices));
    waits.overhead =
        framework[FrameworkParameter::stragglers] * doublings * (forward.total() + back + waits.host + waits.host_back);
    return waits;
}

PassTotals with_waits(const PassTotals& alone, const PassWaits& waits, const PassTotals& copies) {
    const Seconds forward = alone.forward + waits.host;
    const Seconds back = alone.back + waits.host_back;
    const double slower = forward + back > Seconds{} ? 1 + waits.overhead / (forward + back) : 1;
    return {slower * forward + copies.forward, slower * back + copies.back};
}

/// What a message between nodes holds its receiver for, beside the transfer.
Estimate time_of_message(const plan::Framework& framework) {
    const plan::FrameworkNumber& message = framework.number(FrameworkParameter::message);
    return {Seconds::of_base(message.value), Seconds::of_base(message.lo), Seconds::of_base(message.hi)};
}

Boundary boundary_of(const CostedGraph& costed, const plan::Plan& plan, const Incoming& arriving,
                     const cluster::Group& between) {
    Boundary boundary{.arriving = arriving, .time = {}, .send = {}, .gather = {}};
    boundary.send = time_of(costed, cluster::Collective::send, between, arriving.sent, plan.algorithm);
    if (cost::source_of(*costed.cluster, boundary.send) == cost::ErrorSource::between_nodes) {
        boundary.send.time += time_of_message(plan.framework);
    }
    boundary.time = boundary.send.time.value;
    if (arriving.gathered > Bytes{}) {
        boundary.gather = time_of(costed, cluster::Collective::all_gather, boundary_split(costed, plan),
                                  arriving.gathered, plan.algorithm);
        boundary.time += boundary.gather.time.value;
    }
    return boundary;
}

StagePass stage_pass(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage, std::size_t index) {
    StagePass pass;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const auto count = static_cast<double>(stage.count(u));
        if (count == 0) {
            continue;
        }
        const SegmentPass segment = segment_pass(costed.segments[u], plan);
        pass.forward += count * segment.forward;
        pass.backward += count * segment.backward;
        pass.recompute += count * segment.recompute;
    }
    pass.waits = pass_waits(seconds_of(pass.forward), seconds_of(pass.backward), seconds_of(pass.recompute),
                            plan.framework, costed.mesh.devices());
    const Incoming arriving = incoming(costed, stage, boundary_split(costed, plan));
    if (plan.strategy.pipeline && arriving.sent > Bytes{}) {
        const plan::Atoms axis = costed.mesh.axis(*plan.strategy.pipeline);
        pass.boundary = boundary_of(costed, plan, arriving, neighbours(costed, axis, index));
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

ExposedTransfer::ExposedTransfer(Seconds transfer, Seconds window, std::int64_t buckets, bool overlapped)
    : time(exposed(transfer, window, buckets, overlapped)) {
    const double n = static_cast<double>(buckets);
    if (overlapped && time <= transfer / n) {
        by_transfer = 1 / n;
    } else if (overlapped) {
        by_window = -(1 - 1 / n);
    }
}

StateLanes& StateLanes::operator+=(const StateLanes& other) {
    gathered_once += other.gathered_once;
    gathered += other.gathered;
    gathered_again += other.gathered_again;
    reduced_once += other.reduced_once;
    reduced += other.reduced;
    return *this;
}

Seconds StateLanes::*lane_of(const StateTransfer& transfer) {
    if (transfer.what != StateTransfer::What::parameters) {
        return transfer.per_pass ? &StateLanes::reduced : &StateLanes::reduced_once;
    }
    if (transfer.beside != Phase::forward) {
        return &StateLanes::gathered_again;
    }
    return transfer.per_pass ? &StateLanes::gathered : &StateLanes::gathered_once;
}

ExposedLanes::ExposedLanes(const StateLanes& lanes, Seconds forward_window, Seconds backward_window,
                           const plan::Plan& plan, std::int64_t microbatches, std::int64_t buckets)
    : once(lanes.gathered_once, forward_window, buckets, plan.overlap.parameters),
      forward(lanes.gathered, forward_window, buckets, plan.overlap.parameters),
      again(lanes.gathered_again, backward_window, buckets, plan.overlap.parameters),
      left(max(Seconds{}, backward_window - (lanes.gathered_again - again.time))),
      every(lanes.reduced, left, buckets, plan.overlap.gradients),
      last(lanes.reduced_once, left, buckets, plan.overlap.gradients) {
    const double m = static_cast<double>(microbatches);
    parameters = once.time + m * (forward.time + again.time);
    gradients = m * every.time + last.time;
    const Seconds busy = lanes.gradients(microbatches) + lanes.parameters(microbatches);
    const Seconds hidden = max(Seconds{}, busy - gradients - parameters);
    interference = plan.framework[FrameworkParameter::interference] * hidden;
}

namespace {

/// Error sources of the lanes: collectives only.
struct LaneSources {
    cost::PassTimes gathered_once, gathered, gathered_again, reduced_once, reduced;

    cost::PassTimes& of(const StateTransfer& transfer) {
        const auto lane = lane_of(transfer);
        return lane == &StateLanes::gathered_once    ? gathered_once
               : lane == &StateLanes::gathered       ? gathered
               : lane == &StateLanes::gathered_again ? gathered_again
               : lane == &StateLanes::reduced_once   ? reduced_once
                                                     : reduced;
    }
};

/// Kernel time of a pass; nothing hides behind its collectives.
cost::PassTimes kernels_of(const PassCost& pass) {
    cost::PassTimes kernels;
    std::copy_n(pass.by_source.values.begin(), cost::kKernelSources, kernels.values.begin());
    return kernels;
}

/// Times of a pass that its wait for the host follows from.
struct HostedPass {
    Seconds device, host;
};

/// Adds the derivatives of `times` the wait of a pass for the host: that of both together, less that of the device.
void add_wait(double times, const cost::PassTimes& device_sources, const HostedPass& pass, cost::StepTimes& sources) {
    if (pass.host <= Seconds{} || times == 0) {
        return;
    }
    const Seconds both = pass.device + host_wait(pass.host, pass.device);
    const double by_host = host_share(pass.host, pass.device);
    if (pass.device > Seconds{}) {
        sources += times * ((1 - by_host) * (both / pass.device) - 1) * device_sources;
    }
    sources[cost::ErrorSource::launch] += Estimate::exactly(times * by_host * both);
}

/// Kernels and collectives of a pass and the wait for the host, scaled by what each has in the sum.
cost::Sourced hosted(const cost::PassTimes& device_sources, Seconds device, Seconds host) {
    const double by_host = host_share(host, device);
    cost::Sourced time{.value = device + host_wait(host, device), .by_source = {}};
    if (device > Seconds{}) {
        time.by_source += (1 - by_host) * (time.value / device) * device_sources;
    }
    time.by_source[cost::ErrorSource::launch] = Estimate::exactly(by_host * time.value);
    return time;
}

/// `share` of the stragglers of a stage.
cost::Sourced straggling(const cost::Sourced& time, double share) {
    const Seconds more = share * time.value;
    cost::Sourced slower{.value = time.value + more, .by_source = (1 + share) * time.by_source};
    slower.by_source[cost::ErrorSource::stragglers] += Estimate::exactly(more);
    return slower;
}

/// With exposed copies to and from the host: a shorter pass hides less of them.
cost::Sourced copying(const cost::Sourced& time, const ExposedTransfer& copies) {
    return {.value = time.value + copies.time, .by_source = (1 + copies.by_window) * time.by_source};
}

}  // namespace

SourcedPasses passes_without_copies(const StagePass& pass) {
    cost::PassTimes back_sources = pass.backward.by_source;
    back_sources += pass.recompute.by_source;
    const PassTotals alone = pass.alone();
    const cost::Sourced forward = hosted(pass.forward.by_source, alone.forward, pass.waits.host_needs);
    const cost::Sourced back = hosted(back_sources, alone.back, pass.waits.host_needs_back);
    const Seconds both = forward.value + back.value;
    const double share = both > Seconds{} ? pass.waits.overhead / both : 0;
    return {straggling(forward, share), straggling(back, share)};
}

SourcedPasses sourced_passes(const StagePass& pass) {
    const SourcedPasses waiting = passes_without_copies(pass);
    return {copying(waiting.forward, pass.copies.forward), copying(waiting.back, pass.copies.back)};
}

ExposedStates exposed_states(const std::vector<StateTransfer>& transfers, const StagePass& pass,
                             const StateSteps& steps) {
    const plan::Plan& plan = steps.plan;
    StateLanes lanes;
    LaneSources from;
    ExposedStates result;
    for (const StateTransfer& transfer : transfers) {
        lanes.*lane_of(transfer) += transfer.time.time.value;
        from.of(transfer)[cost::source_of(steps.cluster, transfer.time)] += transfer.time.time;
    }
    const double m = static_cast<double>(steps.microbatches);
    const double share = plan.framework[FrameworkParameter::overlap_states];
    const double interference = plan.framework[FrameworkParameter::interference];
    const PassTotals alone = pass.alone();
    const Seconds forward_window = share * (pass.forward.compute.value + pass.waits.host + pass.copies.forward.time);
    const Seconds backward_window = share * (pass.backward.compute.value + pass.recompute.compute.value +
                                             pass.waits.host_back + pass.copies.back.time);
    const ExposedLanes shown(lanes, forward_window, backward_window, plan, steps.microbatches, steps.buckets);
    const auto& [once, forward, again, left, every, last, gradients, parameters, lost] = shown;
    result.gradients = gradients;
    result.parameters = parameters;
    result.gradients_busy = lanes.gradients(steps.microbatches);
    result.parameters_busy = lanes.parameters(steps.microbatches);
    result.interference = lost;

    // Exposed time counts in full, hidden time by its interference.
    const double x = 1 - interference;
    const double by_left = left > Seconds{} ? m * every.by_window + last.by_window : 0;
    const double by_forward = x * (once.by_window + m * forward.by_window);
    const double by_backward = x * (m * again.by_window + by_left * (1 + again.by_window));
    cost::StepTimes& sources = result.by_source;
    sources += (x * once.by_transfer + interference) * from.gathered_once;
    sources += m * (x * forward.by_transfer + interference) * from.gathered;
    sources +=
        (m * (x * again.by_transfer + interference) - x * by_left * (1 - again.by_transfer)) * from.gathered_again;
    sources += m * (x * every.by_transfer + interference) * from.reduced;
    sources += (x * last.by_transfer + interference) * from.reduced_once;
    sources += by_forward * share * kernels_of(pass.forward);
    sources += by_backward * share * kernels_of(pass.backward);
    sources += by_backward * share * kernels_of(pass.recompute);
    add_wait(by_forward * share, pass.forward.by_source, {alone.forward, pass.waits.host_needs}, sources);
    cost::PassTimes back = pass.backward.by_source;
    back += pass.recompute.by_source;
    add_wait(by_backward * share, back, {alone.back, pass.waits.host_needs_back}, sources);
    if (plan.offload.any()) {
        const SourcedPasses waiting = passes_without_copies(pass);
        sources += by_forward * share * pass.copies.forward.by_window * waiting.forward.by_source;
        sources += by_backward * share * pass.copies.back.by_window * waiting.back.by_source;
    }
    sources[cost::ErrorSource::overlap_states] +=
        Estimate::exactly(by_forward * forward_window + by_backward * backward_window);
    sources[cost::ErrorSource::interference] += Estimate::exactly(result.interference);
    return result;
}

}  // namespace dodona::step
