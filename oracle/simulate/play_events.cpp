#include <vector>

#include "simulate/play.hpp"
#include "simulate/player.hpp"
#include "simulate/task_order.hpp"

namespace dodona::simulate {

Timeline play_events(const TaskGraph& graph, const Routes* routes, const Variation& variation) {
    if (!graph.has_fixed_order) {
        return Player(graph, routes, variation).run();
    }
    TaskGraph complete = graph;
    std::vector<Adjacency::Edge> edges;
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        for (const std::uint32_t earlier : graph.predecessors.of(task)) {
            edges.push_back({earlier, task});
        }
    }
    complete.successors = Adjacency(graph.size(), edges);
    complete.in_order_tasks = tasks_in_order(graph);
    return Player(complete, routes, variation).run();
}

}  // namespace dodona::simulate
