#include "simulate/task_graph.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "simulate/task_order.hpp"

namespace dodona::simulate {

namespace {

bool is_duration(Seconds duration) { return duration >= Seconds{} && std::isfinite(duration.in(unit::second)); }

}  // namespace

TaskGraphBuilder::TaskGraphBuilder() { graph_.kinds.emplace_back("other"); }

ResourceId TaskGraphBuilder::add_resource(Resource resource) {
    graph_.resources.push_back(std::move(resource));
    return id_at<ResourceId>(graph_.resources.size() - 1);
}

KindId TaskGraphBuilder::add_kind(std::string name) {
    graph_.kinds.push_back(std::move(name));
    return id_at<KindId>(graph_.kinds.size() - 1);
}

TaskId TaskGraphBuilder::add(const Task& task, std::span<const TaskId> after) {
    const auto id = id_at<TaskId>(size());
    graph_.durations.push_back(task.duration);
    graph_.resource_of.push_back(task.resource);
    graph_.kind_of.push_back(task.kind);
    graph_.priorities.push_back(task.priority);
    graph_.flow_of.push_back(TaskGraph::kNoFlow);
    for (const TaskId earlier : after) {
        depend(id, earlier);
    }
    return id;
}

TaskId TaskGraphBuilder::add(const Task& task, const Flow& flow, std::span<const TaskId> after) {
    const TaskId id = add(task, after);
    graph_.flow_of[index(id)] = static_cast<std::uint32_t>(graph_.flows.size());
    graph_.flows.push_back(flow);
    return id;
}

void TaskGraphBuilder::depend(TaskId later, TaskId earlier) {
    added_in_order_ = added_in_order_ && earlier < later;
    dependencies_.push_back({static_cast<std::uint32_t>(later), static_cast<std::uint32_t>(earlier)});
}

void TaskGraphBuilder::hold(TaskId first, TaskId last) {
    graph_.held_until.resize(std::max({graph_.held_until.size(), index(first) + 1, size()}), kNoTask);
    graph_.held_until[index(first)] = last;
}

void TaskGraphBuilder::slow(const SlowDown& slow_down) { graph_.slow_downs.push_back(slow_down); }

void TaskGraphBuilder::reserve(std::size_t tasks, std::size_t dependencies) {
    graph_.durations.reserve(tasks);
    graph_.resource_of.reserve(tasks);
    graph_.kind_of.reserve(tasks);
    graph_.priorities.reserve(tasks);
    graph_.flow_of.reserve(tasks);
    dependencies_.reserve(dependencies);
}

void TaskGraphBuilder::check_resources() const {
    for (const Resource& resource : graph_.resources) {
        if (resource.capacity <= 0 || !std::isfinite(resource.capacity)) {
            fail({}, fmt::format("{}: the capacity of a shared resource is a number above 0", resource.name));
        }
        if (!is_duration(resource.start)) {
            fail({}, fmt::format("{}: a resource starts at 0 or later", resource.name));
        }
        if (!is_duration(resource.chunk) || resource.chunk_bytes < Bytes{}) {
            fail({}, fmt::format("{}: a chunk is 0 or more", resource.name));
        }
    }
    for (const SlowDown& slow_down : graph_.slow_downs) {
        check(index(slow_down.slowed) < graph_.resources.size() && index(slow_down.busy) < graph_.resources.size(),
              "a slow-down names two resources");
        const Resource& slowed = graph_.resources[index(slow_down.slowed)];
        if (!(slow_down.factor > 0 && slow_down.factor <= 1)) {
            fail({}, fmt::format("{}: slowed down to {} of its speed", slowed.name, slow_down.factor),
                 "a factor is above 0 and at most 1");
        }
        if (slowed.discipline == Discipline::shared) {
            fail({}, fmt::format("{}: a shared resource cannot be slowed down", slowed.name),
                 "give it a smaller capacity, or a resource that takes one task at a time");
        }
    }
}

void TaskGraphBuilder::check_flows() const {
    for (std::size_t task = 0; task < size(); ++task) {
        if (graph_.flow_of[task] == TaskGraph::kNoFlow) {
            continue;
        }
        const Flow& flow = graph_.flows[graph_.flow_of[task]];
        if (!(flow.bytes >= Bytes{}) || !std::isfinite(flow.bytes.in(unit::byte))) {
            fail({}, fmt::format("task {}: a flow has 0 bytes or more", task));
        }
        if (!(flow.weight > 0) || !std::isfinite(flow.weight)) {
            fail({}, fmt::format("task {}: a flow of weight {}", task, flow.weight), "a weight is a number above 0");
        }
        if (!(flow.most >= BytesPerSecond{})) {
            fail({}, fmt::format("task {}: the largest rate of a flow is 0 (none) or more", task));
        }
        const ResourceId resource = graph_.resource_of[task];
        if (resource != kNoResource && graph_.resources[index(resource)].discipline == Discipline::shared) {
            fail({},
                 fmt::format("task {}: a flow on the shared resource {}", task, graph_.resources[index(resource)].name),
                 "add a link of that capacity to its route instead");
        }
    }
}

void TaskGraphBuilder::check_tasks() const {
    for (std::size_t task = 0; task < size(); ++task) {
        if (!is_duration(graph_.durations[task])) {
            fail({}, fmt::format("task {}: its duration is {} s", task, graph_.durations[task].in(unit::second)),
                 "a duration is finite and 0 or more");
        }
        const ResourceId resource = graph_.resource_of[task];
        check(resource == kNoResource || index(resource) < graph_.resources.size(), "a task runs on a known resource");
        check(index(graph_.kind_of[task]) < graph_.kinds.size(), "a task is of a known kind");
    }
    for (const Adjacency::Edge& edge : dependencies_) {
        check(edge.from < size() && edge.to < size(), "a task depends on a known task");
    }
    for (std::size_t task = 0; task < graph_.held_until.size(); ++task) {
        const TaskId last = graph_.held_until[task];
        if (last == kNoTask) {
            continue;
        }
        check(task < size() && index(last) < size(), "a resource is held by known tasks");
        const ResourceId resource = graph_.resource_of[task];
        if (resource == kNoResource || graph_.resources[index(resource)].discipline == Discipline::shared ||
            graph_.resource_of[index(last)] != kNoResource) {
            fail({}, fmt::format("tasks {} to {}: they cannot hold a resource", task, index(last)),
                 "the first runs on a resource that takes one task at a time, the last on none");
        }
    }
}

TaskGraph TaskGraphBuilder::build() && {
    check(size() < index(kNoTask) / 2, "fewer than 2^31 tasks");
    if (!graph_.held_until.empty()) {
        graph_.held_until.resize(size(), kNoTask);
    }
    check_resources();
    check_tasks();
    check_flows();
    graph_.predecessors = Adjacency(size(), dependencies_);
    graph_.has_fixed_order = graph_.flows.empty() && graph_.slow_downs.empty() && graph_.held_until.empty();
    for (const Resource& resource : graph_.resources) {
        graph_.has_fixed_order = graph_.has_fixed_order && resource.discipline == Discipline::in_order;
    }
    if (!graph_.has_fixed_order || !added_in_order_) {
        graph_.in_order_tasks = tasks_in_order(graph_);
        for (Adjacency::Edge& edge : dependencies_) {
            std::swap(edge.from, edge.to);
        }
        graph_.successors = Adjacency(size(), dependencies_);
    }
    dependencies_ = {};
    if (!added_in_order_ || !graph_.held_until.empty()) {
        graph_.order = order_of(graph_);
    }
    return std::move(graph_);
}

}  // namespace dodona::simulate
