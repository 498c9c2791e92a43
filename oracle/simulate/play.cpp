#include "simulate/play.hpp"

#include "base/check.hpp"

namespace dodona::simulate {

namespace {

/// The task that ran last on a resource.
struct Last {
    Seconds end;
    Cause task = kNoCause;
};

Timeline play_in_order(const TaskGraph& graph, const Variation& variation) {
    const std::span<const Seconds> durations = variation.durations.empty() ? graph.durations : variation.durations;
    Timeline timeline;
    timeline.start.resize(graph.size());
    timeline.end.resize(graph.size());
    timeline.cause.resize(graph.size());
    timeline.busy.resize(graph.resources.size());
    timeline.time_of_kind.resize(graph.kinds.size());
    std::vector<Last> last(graph.resources.size());
    for (std::size_t i = 0; i < last.size(); ++i) {
        last[i].end = variation.resource_starts.empty() ? graph.resources[i].start : variation.resource_starts[i];
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const std::size_t task = graph.order.empty() ? i : index(graph.order[i]);
        Seconds start;
        Cause cause = kNoCause;
        for (const std::uint32_t earlier : graph.predecessors.of(task)) {
            if (timeline.end[earlier] > start || cause == kNoCause) {
                start = timeline.end[earlier];
                cause = Cause{earlier};
            }
        }
        const ResourceId resource = graph.resource_of[task];
        if (resource != kNoResource) {
            const Last& before = last[index(resource)];
            if (before.end > start || cause == kNoCause) {
                start = before.end;
                cause = before.task;
            }
        }
        const Seconds duration = variation.duration_at ? variation.duration_at(task, start) : durations[task];
        if (resource != kNoResource) {
            Last& before = last[index(resource)];
            before = {start + duration, static_cast<Cause>(task)};
            timeline.busy[index(resource)] += duration;
        }
        timeline.start[task] = start;
        timeline.end[task] = start + duration;
        timeline.cause[task] = cause;
        timeline.time_of_kind[index(graph.kind_of[task])] += duration;
        timeline.makespan = max(timeline.makespan, timeline.end[task]);
    }
    return timeline;
}

}  // namespace

Timeline play(const TaskGraph& graph, const Routes* routes, const Variation& variation) {
    check(graph.has_fixed_order || !variation.duration_at,
          "durations depend on the time only where the order is fixed");
    return graph.has_fixed_order ? play_in_order(graph, variation) : play_events(graph, routes, variation);
}

}  // namespace dodona::simulate
