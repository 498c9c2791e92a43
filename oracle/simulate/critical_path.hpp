// The chain of tasks that set the makespan, walked back from the last task: each stretch starts when what it waited for
// ended, a dependency or the task before on its resource.
//
//   length = sum of the stretches' times <= makespan <= sum of the times of all tasks + the latest start of a resource
//
// The first inequality is an equality unless the chain begins at the late start of a resource.
#pragma once

#include <vector>

#include "base/quantity.hpp"
#include "simulate/task_graph.hpp"
#include "simulate/timeline.hpp"

namespace dodona::simulate {

struct CriticalPath {
    std::vector<Stretch> stretches;  ///< first to last
    Seconds length;
    std::vector<Seconds> time_of_kind;  ///< by kind of task
};

/// If several tasks end last, the path leads to the one that was added first.
CriticalPath critical_path(const TaskGraph& graph, const Timeline& timeline);

/// The chain that led to the end of one task.
CriticalPath path_to(TaskId last, const TaskGraph& graph, const Timeline& timeline);

}  // namespace dodona::simulate
