#include "step/step_sources.hpp"

namespace dodona::step {

using cost::ErrorSource;
using cost::Sourced;

namespace {

/// Kernels and collectives of a pass and the wait for the host, scaled by what each has in the sum.
Sourced hosted(const cost::PassTimes& device_sources, Seconds device, Seconds host) {
    const double by_host = host_share(host, device);
    Sourced time{.value = device + host_wait(host, device), .by_source = {}};
    if (device > Seconds{}) {
        time.by_source += (1 - by_host) * (time.value / device) * device_sources;
    }
    time.by_source[ErrorSource::launch] = Estimate::exactly(by_host * time.value);
    return time;
}

/// `share` of the stragglers of a stage.
Sourced straggling(const Sourced& time, double share) {
    const Seconds more = share * time.value;
    Sourced slower{.value = time.value + more, .by_source = (1 + share) * time.by_source};
    slower.by_source[ErrorSource::stragglers] += Estimate::exactly(more);
    return slower;
}

struct SourcedPasses {
    Sourced forward;
    Sourced back;
};

SourcedPasses passes(const StagePass& pass) {
    cost::PassTimes back_sources = pass.backward.by_source;
    back_sources += pass.recompute.by_source;
    const PassTotals alone = pass.alone();
    const Sourced forward = hosted(pass.forward.by_source, alone.forward, pass.waits.host_needs);
    const Sourced back = hosted(back_sources, alone.back, pass.waits.host_needs_back);
    const Seconds both = forward.value + back.value;
    const double share = both > Seconds{} ? pass.waits.overhead / both : 0;
    SourcedPasses found{straggling(forward, share), straggling(back, share)};
    found.forward.value += pass.offload.forward;
    found.back.value += pass.offload.back;
    return found;
}

Sourced receipt(const Boundary& boundary, const cluster::Cluster& cluster) {
    Sourced time{.value = boundary.time, .by_source = {}};
    time.by_source[cost::source_of(cluster, boundary.send)] += boundary.send.time;
    time.by_source[cost::source_of(cluster, boundary.gather)] += boundary.gather.time;
    return time;
}

}  // namespace

template <>
std::vector<Position<Sourced>> positions_of(const Replica& replica) {
    std::vector<SourcedPasses> stages;
    for (const StageWork& stage : replica.stages) {
        stages.push_back(passes(stage.pass));
    }
    const auto at = [](std::int64_t number) { return static_cast<std::size_t>(number); };
    std::vector<Position<Sourced>> positions;
    for_each_position(replica, [&](const StageWork& stage, const VirtualStageWork& part) {
        const auto k = static_cast<std::int64_t>(positions.size());
        const SourcedPasses& whole = stages[at(replica.places.stage(k))];
        const Sourced back = part.back * whole.back;
        positions.push_back({.forward = part.forward * whole.forward,
                             .back = back,
                             .weight_gradients = part.weights * back,
                             .receive = receipt(boundary_at(replica, k), *stage.on->cluster),
                             .hidden = part.hidden});
    });
    return positions;
}

cost::StepTimes step_sources(const ComposedStep& composed, const plan::Plan& plan) {
    const Replica& slowest = composed.replicas[composed.critical];
    const std::vector<Position<Sourced>> positions = positions_of<Sourced>(slowest);
    PlayedOrders orders;
    cost::StepTimes sources = pipeline_total(pipeline_of(positions, plan, slowest.microbatches), orders).by_source;
    const StageWork& tail = composed.slowest_tail();
    sources += tail.exposed.by_source;
    if (!tail.on->devices.front().measured) {
        sources[ErrorSource::optimizer] += tail.update;
    }
    sources[ErrorSource::step] += Estimate::exactly(plan.framework.seconds(plan::FrameworkParameter::step));
    return sources;
}

}  // namespace dodona::step
