#include "step/step_sources.hpp"

#include "base/ranges.hpp"

namespace dodona::step {

using cost::DualTime;
using cost::ErrorSource;

namespace {

DualTime receipt(const Boundary& boundary, const cluster::Cluster& cluster) {
    DualTime time{.value = boundary.time, .by_source = {}};
    time.by_source[cost::source_of(cluster, boundary.send)] += boundary.send.time;
    time.by_source[cost::source_of(cluster, boundary.gather)] += boundary.gather.time;
    return time;
}

}  // namespace

template <>
std::vector<Position<DualTime>> positions_of(const Replica& replica) {
    const auto stages =
        mapped<SourcedPasses>(replica.stages, [](const StageWork& stage) { return sourced_passes(stage.pass); });
    const auto at = [](std::int64_t number) { return static_cast<std::size_t>(number); };
    std::vector<Position<DualTime>> positions;
    for_each_position(replica, [&](const StageWork& stage, const VirtualStageWork& part) {
        const auto k = static_cast<std::int64_t>(positions.size());
        const SourcedPasses& whole = stages[at(replica.places.stage(k))];
        const double weights = part.weights * part.back;
        positions.push_back({.forward = part.forward * whole.forward,
                             .back = part.back * whole.back,
                             .weight_gradients = weights * passes_without_copies(stage.pass).back,
                             .receive = receipt(boundary_at(replica, k), *stage.on->cluster),
                             .hidden = part.hidden});
    });
    return positions;
}

cost::StepTimes step_sources(const ComposedStep& composed, const plan::Plan& plan) {
    const Replica& slowest = composed.replicas[composed.critical];
    const std::vector<Position<DualTime>> positions = positions_of<DualTime>(slowest);
    ScheduleTimings orders;
    cost::StepTimes sources = pipeline_total(pipeline_of(positions, plan, slowest.microbatches), orders).by_source;
    const StageWork& tail = composed.slowest_tail();
    sources += tail.exposed.by_source;
    if (plan.updates_on_host()) {
        sources[ErrorSource::host_update] += tail.update;
    } else if (!tail.on->devices.front().measured) {
        sources[ErrorSource::optimizer] += tail.update;
    }
    sources[ErrorSource::step] += Estimate::exactly(plan.framework.seconds(plan::FrameworkParameter::step));
    return sources;
}

}  // namespace dodona::step
