#include "simulate/task_order.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <fmt/format.h>

#include "base/diagnostic.hpp"

namespace dodona::simulate {

namespace {

constexpr std::size_t kMaxShown = 8;  // tasks of a cycle in a message

/// task -> tasks that it waits for
using Waits = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, std::uint32_t, std::uint32_t>;

/// The task after whose end an in-order resource takes the next one: the task itself, or the last of those that hold it.
std::uint32_t releases(const TaskGraph& graph, std::uint32_t task) {
    const bool holds = !graph.held_until.empty() && graph.held_until[task] != kNoTask;
    return holds ? static_cast<std::uint32_t>(graph.held_until[task]) : task;
}

/// Dependencies, and on an in-order resource the end of the task before.
Waits waits_of(const TaskGraph& graph) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::size_t resource = 0; resource < graph.resources.size(); ++resource) {
        const std::span<const std::uint32_t> tasks = graph.in_order_tasks.of(resource);
        for (std::size_t i = 1; i < tasks.size(); ++i) {
            edges.emplace_back(tasks[i], releases(graph, tasks[i - 1]));
        }
    }
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        for (const std::uint32_t earlier : graph.predecessors.of(task)) {
            edges.emplace_back(task, earlier);
        }
    }
    return {boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), static_cast<std::uint32_t>(graph.size())};
}

[[noreturn]] void fail_with_cycle(std::span<const std::uint32_t> cycle) {
    std::string text = fmt::format("task {}", cycle.front());
    for (std::size_t i = 1; i <= cycle.size(); ++i) {
        if (i <= kMaxShown || i == cycle.size()) {
            text += fmt::format("{} task {}", i == 1 ? " waits for" : ", that for", cycle[i % cycle.size()]);
        } else if (i == kMaxShown + 1) {
            text += ", …";
        }
    }
    fail({}, fmt::format("tasks that wait for one another can never start: {}", text),
         "a task waits for its dependencies, and on an in-order resource for the tasks that were added before it");
}

/// Adds each task to `order` once all that it waits for are there.
struct TopologicalOrder : boost::default_dfs_visitor {
    std::vector<TaskId>* order = nullptr;
    std::vector<std::uint32_t>* path = nullptr;  ///< tasks whose dependencies are being visited, each of the one before

    void discover_vertex(std::uint32_t task, const Waits& /*waits*/) const { path->push_back(task); }
    void back_edge(const Waits::edge_descriptor& edge, const Waits& waits) const {
        const auto first = std::find(path->begin(), path->end(), target(edge, waits));
        fail_with_cycle(std::span(*path).subspan(static_cast<std::size_t>(first - path->begin())));
    }
    void finish_vertex(std::uint32_t task, const Waits& /*waits*/) const {
        path->pop_back();
        order->push_back(id_at<TaskId>(task));
    }
};

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
    std::vector<TaskId> order;
    order.reserve(graph.size());
    std::vector<std::uint32_t> path;
    TopologicalOrder visitor;
    visitor.order = &order;
    visitor.path = &path;
    boost::depth_first_search(waits_of(graph), boost::visitor(visitor));
    return order;
}

}  // namespace dodona::simulate
