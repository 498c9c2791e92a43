#include "simulate/task_order.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/diagnostic.hpp"

namespace dodona::simulate {

namespace {

constexpr std::uint32_t kNoneBefore = 0xffffffffU;
constexpr std::size_t kMostShown = 8;  // tasks of a circle in a message

/// The task after whose end an in-order resource takes the next one: the task itself, or the last of those that hold it.
std::uint32_t releases(const TaskGraph& graph, std::uint32_t task) {
    const bool holds = !graph.held_until.empty() && graph.held_until[task] != kNoTask;
    return holds ? static_cast<std::uint32_t>(graph.held_until[task]) : task;
}

/// What each task waits for on an in-order resource, and who waits for it.
struct Streams {
    std::vector<std::uint32_t> before;  ///< task -> task whose end it waits for, or kNoneBefore
    Adjacency after;                    ///< the other way round
};

Streams streams_of(const TaskGraph& graph) {
    Streams streams;
    streams.before.assign(graph.size(), kNoneBefore);
    std::vector<Adjacency::Edge> edges;
    for (std::size_t resource = 0; resource < graph.resources.size(); ++resource) {
        std::uint32_t before = kNoneBefore;
        for (const std::uint32_t task : graph.in_order_tasks.of(resource)) {
            streams.before[task] = before;
            if (before != kNoneBefore) {
                edges.push_back({before, task});
            }
            before = releases(graph, task);
        }
    }
    streams.after = Adjacency(graph.size(), edges);
    return streams;
}

/// Something that a task waits for and that is not among the tasks `done`.
std::uint32_t awaited_by(const TaskGraph& graph, const Streams& streams, const std::vector<bool>& done,
                         std::uint32_t task) {
    for (const std::uint32_t earlier : graph.predecessors.of(task)) {
        if (!done[earlier]) {
            return earlier;
        }
    }
    return streams.before[task];
}

[[noreturn]] void fail_with_circle(const TaskGraph& graph, const Streams& streams, const std::vector<TaskId>& order) {
    std::vector<bool> done(graph.size());
    for (const TaskId task : order) {
        done[index(task)] = true;
    }
    auto task = static_cast<std::uint32_t>(std::find(done.begin(), done.end(), false) - done.begin());
    std::vector<bool> seen(graph.size());
    while (!seen[task]) {
        seen[task] = true;
        task = awaited_by(graph, streams, done, task);
    }
    std::string circle = fmt::format("task {}", task);
    std::size_t length = 0;
    std::uint32_t at = task;
    do {
        const std::uint32_t next = awaited_by(graph, streams, done, at);
        if (length < kMostShown || next == task) {
            circle += fmt::format("{} task {}", length == 0 ? " waits for" : ", that for", next);
        } else if (length == kMostShown) {
            circle += ", …";
        }
        at = next;
        ++length;
    } while (at != task);
    fail({}, fmt::format("tasks that wait for one another can never start: {}", circle),
         "a task waits for its dependencies, and on an in-order resource for the tasks that were added before it");
}

}  // namespace

Adjacency tasks_in_order(const TaskGraph& graph) {
    std::vector<Adjacency::Edge> edges;
    for (std::size_t task = 0; task < graph.size(); ++task) {
        const ResourceId resource = graph.resource_of[task];
        if (resource != kNoResource && graph.resources[index(resource)].discipline == Discipline::in_order) {
            edges.push_back({static_cast<std::uint32_t>(resource), static_cast<std::uint32_t>(task)});
        }
    }
    return {graph.resources.size(), edges};
}

std::vector<TaskId> order_of(const TaskGraph& graph) {
    const Streams streams = streams_of(graph);
    std::vector<std::uint32_t> waits(graph.size());
    std::vector<TaskId> order;
    order.reserve(graph.size());
    for (std::size_t task = 0; task < graph.size(); ++task) {
        waits[task] =
            static_cast<std::uint32_t>(graph.predecessors.count(task)) + (streams.before[task] == kNoneBefore ? 0 : 1);
        if (waits[task] == 0) {
            order.push_back(id_at<TaskId>(task));
        }
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        const auto end_of = [&](std::uint32_t later) {
            if (--waits[later] == 0) {
                order.push_back(id_at<TaskId>(later));
            }
        };
        for (const std::uint32_t later : graph.successors.of(index(order[next]))) {
            end_of(later);
        }
        for (const std::uint32_t later : streams.after.of(index(order[next]))) {
            end_of(later);
        }
    }
    if (order.size() < graph.size()) {
        fail_with_circle(graph, streams, order);
    }
    return order;
}

}  // namespace dodona::simulate
