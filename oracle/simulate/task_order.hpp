// An order in which tasks can be played, or why there is none.
#pragma once

#include <vector>

#include "simulate/task_graph.hpp"

namespace dodona::simulate {

/// In-order resource -> its tasks, in the order of adding.
Adjacency tasks_in_order(const TaskGraph& graph);

/// Every task after those that it depends on, and after the task before it on an in-order resource. Throws InputError
/// with one circle of tasks that wait for one another.
std::vector<TaskId> order_of(const TaskGraph& graph);

}  // namespace dodona::simulate
