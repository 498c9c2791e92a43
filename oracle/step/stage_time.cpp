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
        case RecomputeKind::selective: return segment.selective;
        case RecomputeKind::layers: return segment.named;
        case RecomputeKind::full:
        case RecomputeKind::every: return segment.recomputes() ? segment.forward + -1.0 * segment.further : PassCost{};
    }
    return {};
}

bool runs_again(const TimedTransfer& transfer, const SegmentCost& segment, const plan::Plan& plan) {
    const bool of_block = plan.repeats_blocks() && segment.recomputes() && !transfer.forward_only &&
                          transfer.what.phase == Phase::forward;
    return of_block || (transfer.repeats && plan.recompute == RecomputeKind::layers);
}

std::int64_t repeated(const CostedGraph& costed, const plan::Plan& plan, const VirtualStage& part,
                      std::size_t segment) {
    if (!plan.keeps_some_blocks() || !costed.segments[segment].recomputes()) {
        return part.counts[segment];
    }
    std::int64_t before = 0;
    for (std::size_t u = 0; u < segment; ++u) {
        before += costed.segments[u].block ? part.counts[u] : 0;
    }
    return plan.repeated.among(before, part.counts[segment]);
}

std::int64_t repeated(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage, std::size_t segment) {
    std::int64_t count = 0;
    for (const VirtualStage& part : stage.virtual_stages) {
        count += repeated(costed, plan, part, segment);
    }
    return count;
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

/// `part` of the collectives of a pass.
cost::DualTime collectives_of(const PassCost& pass, Seconds part) {
    cost::DualTime found{.value = part, .by_source = {}};
    const Seconds all = pass.layer.value + pass.halo.value;
    if (all > Seconds{}) {
        cost::PassTimes sources = pass.by_source;
        std::fill_n(sources.values.begin(), cost::kKernelSources, Estimate{});
        found.by_source += (part / all) * sources;
    }
    return found;
}

/// Kernels of a pass; nothing hides behind its collectives.
cost::DualTime kernels_of(const PassCost& pass) {
    cost::DualTime found{.value = pass.compute.value, .by_source = {}};
    std::copy_n(pass.by_source.values.begin(), cost::kKernelSources, found.by_source.values.begin());
    return found;
}

/// The compute of a pass that collectives of layers may hide behind.
cost::DualTime layer_window(const PassCost& pass, const plan::Plan& plan) {
    return cost::by_parameter(plan.framework[FrameworkParameter::overlap_layers], kernels_of(pass),
                              cost::ErrorSource::overlap_layers);
}

/// By how much hiding shortens: what is hidden, less the compute that it slows down.
cost::DualTime shorter_by(const cost::DualTime& hidden, const plan::Plan& plan) {
    return hidden - cost::by_parameter(plan.framework[FrameworkParameter::interference], hidden,
                                       cost::ErrorSource::interference);
}

/// Collectives of a pass that hide behind compute: all-to-alls with `overlap: expert` (behind the opposite pass of
/// another micro-batch, which has as much compute), the others with `overlap: tensor`. What does not fit is exposed,
/// and compute loses a share of the hidden time. Source: NVIDIA/Megatron-LM:
/// megatron/core/pipeline_parallel/combined_1f1b.py, overlap_moe_expert_parallel_comm.
PassCost overlap_layers(PassCost pass, const plan::Plan& plan) {
    const HiddenLayers layers = hidden_layers(seconds_of(pass), plan);
    const cost::DualTime hidden = cost::shorter(collectives_of(pass, layers.may), layer_window(pass, plan));
    const cost::DualTime less = shorter_by(hidden, plan);
    for (std::size_t i = 0; i < cost::kPassSources; ++i) {
        pass.by_source.values[i] += -1.0 * less.by_source.values[i];
    }
    pass.layer = pass.layer.rescaled_to(pass.layer.value - hidden.value);
    pass.layer += Estimate::exactly(hidden.value - less.value);
    return pass;
}

}  // namespace

Hideable hideable(const PassCost& pass, const plan::Plan& plan) {
    return {.exchanged = collectives_of(pass, plan.overlap.expert ? Seconds{} : pass.exchanged.value),
            .window = layer_window(pass, plan)};
}

cost::DualTime hidden_in_pair(const Hideable& a, const Hideable& b, const plan::Plan& plan) {
    return shorter_by(cost::shorter(a.exchanged, b.window) + cost::shorter(b.exchanged, a.window), plan);
}

cluster::Group neighbours(const CostedGraph& costed, plan::Atoms axis, std::size_t index) {
    const cluster::Group whole = costed.mesh.group(axis);
    if (whole.strides.size() != 1 || index == 0) {
        return whole;
    }
    const std::int64_t stride = whole.strides[0].stride;
    const std::int64_t here = static_cast<std::int64_t>(index) * stride;
    for (std::size_t level = 0; level < costed.cluster->levels.size(); ++level) {
        const std::int64_t segment = costed.cluster->domain_size(level, costed.mesh.devices());
        if (here / segment == (here - stride) / segment) {
            return {{{stride, 2}}};
        }
        if (stride < segment) {
            return whole;  // they straddle the edge of a domain
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
        pass.recompute += static_cast<double>(repeated(costed, plan, stage, u)) * segment.recompute;
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

StateLane lane_of(const StateTransfer& transfer) {
    if (transfer.what != StateTransfer::What::parameters) {
        return transfer.per_pass ? StateLane::reduced : StateLane::reduced_once;
    }
    if (transfer.beside != Phase::forward) {
        return StateLane::gathered_again;
    }
    return transfer.per_pass ? StateLane::gathered : StateLane::gathered_once;
}

namespace {

/// Kernels and collectives of a pass.
cost::DualTime device_time(const PassCost& pass) {
    cost::DualTime found{.value = pass.total().value, .by_source = {}};
    found.by_source += pass.by_source;
    return found;
}

/// A pass and its wait for the host, scaled by what each has in the sum.
cost::DualTime hosted(const cost::DualTime& device, Seconds host) {
    const double by_host = host_share(host, device.value);
    cost::DualTime time{.value = device.value + host_wait(host, device.value), .by_source = {}};
    if (device.value > Seconds{}) {
        time.by_source += (1 - by_host) * (time.value / device.value) * device.by_source;
    }
    time.by_source[cost::ErrorSource::launch] += Estimate::exactly(by_host * time.value);
    return time;
}

/// `share` of the stragglers of a stage.
cost::DualTime straggling(const cost::DualTime& time, double share) {
    return time + cost::by_parameter(share, time, cost::ErrorSource::stragglers);
}

/// Exposed copies beside a pass: a shorter pass hides less of them.
cost::DualTime exposed_copies(const cost::DualTime& pass, const HostCopies& copies) {
    return exposed(cost::DualTime{.value = copies.busy, .by_source = {}}, pass, copies.alone, copies.hides);
}

/// The passes of a stage with their waits for the host.
SourcedPasses hosted_passes(const StagePass& pass) {
    return {hosted(device_time(pass.forward), pass.waits.host_needs),
            hosted(device_time(pass.backward) + device_time(pass.recompute), pass.waits.host_needs_back)};
}

/// What transfers of states may hide behind.
StateWindows<cost::DualTime> state_windows(const StagePass& pass, const plan::Plan& plan) {
    const auto share = [&plan](const cost::DualTime& time) {
        return cost::by_parameter(plan.framework[FrameworkParameter::overlap_states], time,
                                  cost::ErrorSource::overlap_states);
    };
    const SourcedPasses hosts = hosted_passes(pass);
    const SourcedPasses waiting = passes_without_copies(pass);
    const cost::DualTime forward_wait = hosts.forward - device_time(pass.forward);
    const cost::DualTime back_wait = hosts.back - (device_time(pass.backward) + device_time(pass.recompute));
    return {share(kernels_of(pass.forward) + forward_wait + exposed_copies(waiting.forward, pass.copies.forward)),
            share(kernels_of(pass.backward) + kernels_of(pass.recompute) + back_wait +
                  exposed_copies(waiting.back, pass.copies.back))};
}

}  // namespace

SourcedPasses passes_without_copies(const StagePass& pass) {
    const SourcedPasses hosts = hosted_passes(pass);
    const Seconds both = hosts.forward.value + hosts.back.value;
    const double share = both > Seconds{} ? pass.waits.overhead / both : 0;
    return {straggling(hosts.forward, share), straggling(hosts.back, share)};
}

SourcedPasses sourced_passes(const StagePass& pass) {
    const SourcedPasses waiting = passes_without_copies(pass);
    return {waiting.forward + exposed_copies(waiting.forward, pass.copies.forward),
            waiting.back + exposed_copies(waiting.back, pass.copies.back)};
}

ExposedStates exposed_states(const std::vector<StateTransfer>& transfers, const StagePass& pass,
                             const StateSteps& steps) {
    StateLanes<cost::DualTime> lanes;
    for (const StateTransfer& transfer : transfers) {
        cost::DualTime& lane = lanes[lane_of(transfer)];
        lane.value += transfer.time.time.value;
        lane.by_source[cost::source_of(steps.cluster, transfer.time)] += transfer.time.time;
    }
    const ExposedLanes<cost::DualTime> shown(lanes, state_windows(pass, steps.plan), steps.plan, steps.microbatches,
                                             steps.alone);
    return {.gradients = shown.gradients.value,
            .parameters = shown.parameters.value,
            .gradients_busy = lanes.gradients(steps.microbatches).value,
            .parameters_busy = lanes.parameters(steps.microbatches).value,
            .interference = shown.interference.value,
            .by_source = (shown.gradients + shown.parameters + shown.interference).by_source};
}

}  // namespace dodona::step
