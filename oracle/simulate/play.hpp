// Plays tasks on their resources and flows on their links.
//
// Where every start follows from ends of other tasks (in-order resources, no flows) one pass over the tasks in order
// suffices:
//
//   start_i = max(end of what i depends on, end of the task before i on its resource, start of the resource)
//
// Otherwise a queue of events is played. All that happens at one point in time happens before resources take their next
// tasks, so that ties do not depend on the order of events; rates of flows and speeds of slowed resources follow before
// time goes on, and are constant in between.
// Answers are the same on every machine: no random numbers, no order of addresses.
#pragma once

#include <functional>
#include <span>

#include "base/quantity.hpp"
#include "simulate/routes.hpp"
#include "simulate/task_graph.hpp"
#include "simulate/timeline.hpp"

namespace dodona::simulate {

/// What differs from the graph in one run, such as noise. Empty: as in the graph.
struct Variation {
    std::span<const Seconds> durations;        ///< of each task
    std::span<const Bytes> bytes;              ///< of each flow
    std::span<const Seconds> resource_starts;  ///< of each resource: clock skew
    /// Of a task that starts at a point in time, instead of `durations`; only where the order is fixed.
    std::function<Seconds(std::size_t task, Seconds start)> duration_at;
};

/// `routes`: those of the flows; none are needed without flows. Throws InputError if tasks that hold resources wait for
/// one another.
Timeline play(const TaskGraph& graph, const Routes* routes = nullptr, const Variation& variation = {});

/// The same by events, also where one pass suffices. For tests.
Timeline play_events(const TaskGraph& graph, const Routes* routes = nullptr, const Variation& variation = {});

}  // namespace dodona::simulate
