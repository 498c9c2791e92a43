#include "simulate/critical_path.hpp"

#include <algorithm>

namespace dodona::simulate {

namespace {

/// The stretch that a number of Cause stands for.
Stretch stretch_of(const TaskGraph& graph, const Timeline& timeline, Cause number) {
    const auto i = static_cast<std::size_t>(number);
    if (i >= graph.size()) {
        return timeline.stretches[i - graph.size()];
    }
    const bool was_interrupted = !timeline.last_start.empty() && timeline.last_start[i] >= Seconds{};
    return {.task = id_at<TaskId>(i),
            .start = was_interrupted ? timeline.last_start[i] : timeline.start[i],
            .end = timeline.end[i],
            .cause = timeline.cause[i]};
}

}  // namespace

CriticalPath critical_path(const TaskGraph& graph, const Timeline& timeline) {
    if (graph.size() == 0) {
        return {.stretches = {}, .length = {}, .time_of_kind = std::vector<Seconds>(graph.kinds.size())};
    }
    const auto last = std::max_element(timeline.end.begin(), timeline.end.end());
    return path_to(id_at<TaskId>(static_cast<std::size_t>(last - timeline.end.begin())), graph, timeline);
}

CriticalPath path_to(TaskId last, const TaskGraph& graph, const Timeline& timeline) {
    CriticalPath path;
    path.time_of_kind.resize(graph.kinds.size());
    for (auto at = static_cast<Cause>(index(last)); at != kNoCause;) {
        path.stretches.push_back(stretch_of(graph, timeline, at));
        at = path.stretches.back().cause;
    }
    std::reverse(path.stretches.begin(), path.stretches.end());
    for (const Stretch& stretch : path.stretches) {
        path.length += stretch.end - stretch.start;
        path.time_of_kind[index(graph.kind_of[index(stretch.task)])] += stretch.end - stretch.start;
    }
    return path;
}

}  // namespace dodona::simulate
