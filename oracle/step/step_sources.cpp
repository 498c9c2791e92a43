#include "step/step_sources.hpp"

#include <cmath>

namespace dodona::step {

using cost::ErrorSource;
using cost::StepTimes;

namespace {

/// Kernels and collectives of a pass, scaled by the device's share in it.
StepTimes hosted(const cost::PassTimes& device_sources, Seconds device, Seconds host) {
    const double by_host = host_share(host, device);
    const Seconds both = device + host_wait(host, device);
    StepTimes sources;
    if (device > Seconds{}) {
        sources += (1 - by_host) * (both / device) * device_sources;
    }
    sources[ErrorSource::launch] = Estimate::exactly(by_host * both);
    return sources;
}

/// One receive of a stage.
cost::PassTimes boundary_sources(const StagePass& pass, const cluster::Cluster& cluster) {
    cost::PassTimes sources;
    sources[cost::source_of(cluster, pass.send)] += pass.send.time;
    sources[cost::source_of(cluster, pass.gather)] += pass.gather.time;
    return sources;
}

}  // namespace

StepTimes pass_sources(const StagePass& pass) {
    cost::PassTimes back = pass.backward.by_source;
    back += pass.recompute.by_source;
    StepTimes sources = hosted(pass.forward.by_source, pass.forward.total().value, pass.host_needs);
    sources += hosted(back, (pass.backward.total() + pass.recompute.total()).value, pass.host_needs_back);
    const Seconds without = pass.total().value - pass.overhead;
    if (without > Seconds{}) {
        sources = (1 + pass.overhead / without) * sources;
    }
    sources[ErrorSource::stragglers] += Estimate::exactly(pass.overhead);
    return sources;
}

StepTimes step_sources(const ComposedStep& composed, const plan::Plan& plan, const cluster::Cluster& cluster) {
    const Replica& slowest = composed.replicas[composed.critical];
    const double v = static_cast<double>(plan.virtual_stages);
    const double m = static_cast<double>(slowest.microbatches);
    StepTimes sources;
    cost::PassTimes boundaries;
    Seconds boundary;
    for (std::size_t i = 0; i < slowest.stages.size(); ++i) {
        const StagePass& pass = slowest.stages[i].pass;
        const bool critical = i == slowest.pipeline.critical;
        sources += (1 / v + (critical ? m - 1 / v : 0)) * pass_sources(pass);
        boundaries += boundary_sources(pass, cluster);
        boundary += pass.boundary;
    }
    if (boundary > Seconds{}) {
        sources += (slowest.transfers / boundary) * boundaries;
    }
    const StageWork& tail = composed.slowest_tail();
    sources += tail.exposed.by_source;
    if (!tail.on->devices.front().measured) {
        sources[ErrorSource::optimizer] += tail.update;
    }
    sources[ErrorSource::step] += Estimate::exactly(plan.framework.seconds(plan::FrameworkParameter::step));
    return sources;
}

}  // namespace dodona::step
