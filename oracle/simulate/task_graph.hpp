// Tasks, the resources that they run on, and what they wait for.
//
// A task starts when all tasks that it depends on have ended and its resource takes it. It then takes its duration; a
// task with a flow next takes the latency of its route once, and then as long as its bytes take at the rate that the
// links leave to it (max-min fair, active_flows.hpp). Resources differ in which task they take next:
//
//   in order   one at a time, in the order in which the tasks were added (a CUDA stream)
//   fifo       one at a time, in the order in which they became ready
//   priority   one at a time, highest priority first; with `chunk` a running task gives way to one of higher priority
//              after the chunk at hand, and goes on later where it stopped
//   shared     all at once: up to `capacity` tasks at full speed, more of them at capacity / number of tasks each
//
// Among equals a task that gave way goes first, then the one that became ready first, then the one that was added first. A task without a
// resource starts as soon as it is ready.
//
// hold(first, last): the resource of `first` takes nothing else from the start of `first` until the end of `last`, which
// has no resource of its own. This is how a collective of many flows occupies a communication stream.
//
// slow(...): a resource works at `factor` of its speed while another is busy; several factors multiply. Flows and the
// duration before them are not slowed down.
//
// A task, a flow or a resource may stand for many like it: leave the others out, and give flows that share links with
// their likes a weight.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "simulate/adjacency.hpp"
#include "simulate/ids.hpp"

namespace dodona::simulate {

enum class Discipline { in_order, fifo, priority, shared };

struct Resource {
    std::string name;
    Discipline discipline = Discipline::in_order;
    double capacity = 1;  ///< of a shared resource: tasks at full speed
    Seconds chunk;  ///< of a priority resource: work between two chances to give way; 0: a task is never interrupted
    Bytes chunk_bytes;  ///< the same for tasks with a flow
    Seconds start;      ///< no task starts earlier: clock skew, or a rank that arrives late
};

/// Bytes over a route.
struct Flow {
    RouteId route{};
    Bytes bytes;          ///< of one flow
    double weight = 1;    ///< number of identical flows that this one stands for, all over the same links
    BytesPerSecond most;  ///< rate of one flow that its ends can sustain; 0: what the links leave
};

struct Task {
    Seconds duration;  ///< before the flow, if the task has one
    ResourceId resource = kNoResource;
    KindId kind{};
    std::int32_t priority = 0;  ///< higher goes first
};

struct SlowDown {
    ResourceId slowed{};
    ResourceId busy{};
    double factor = 1;  ///< of the speed of `slowed` while `busy` is busy, in (0, 1]
};

/// Tasks ready to be played: without cycles, and not to be changed. Made by TaskGraphBuilder.
struct TaskGraph {
    static constexpr std::uint32_t kNoFlow = 0xffffffffU;

    std::vector<Resource> resources;
    std::vector<std::string> kinds;
    std::vector<SlowDown> slow_downs;
    std::vector<Flow> flows;

    // Of each task:
    std::vector<Seconds> durations;
    std::vector<ResourceId> resource_of;
    std::vector<KindId> kind_of;
    std::vector<std::int32_t> priorities;
    std::vector<std::uint32_t> flow_of;  ///< index of its flow, or kNoFlow
    std::vector<TaskId> held_until;      ///< by a task whose resource is held, the last task; empty: none is held
    Adjacency predecessors;              ///< task -> tasks that it depends on
    /// Every start follows from ends of other tasks without a choice: only resources in order, no flows, no slow-down.
    bool has_fixed_order = true;
    // Empty if the order is fixed and that of adding is one:
    Adjacency successors;
    Adjacency in_order_tasks;   ///< in-order resource -> its tasks
    std::vector<TaskId> order;  ///< every task after those that it waits for; empty: the order of adding is one

    [[nodiscard]] std::size_t size() const { return durations.size(); }
};

class TaskGraphBuilder {
public:
    TaskGraphBuilder();

    ResourceId add_resource(Resource resource);
    /// A kind of task. Kind 0, "other", is there from the start.
    KindId add_kind(std::string name);
    TaskId add(const Task& task, std::span<const TaskId> after = {});
    TaskId add(const Task& task, std::initializer_list<TaskId> after) {
        return add(task, {after.begin(), after.size()});
    }
    TaskId add(const Task& task, const Flow& flow, std::span<const TaskId> after = {});
    TaskId add(const Task& task, const Flow& flow, std::initializer_list<TaskId> after) {
        return add(task, flow, {after.begin(), after.size()});
    }
    /// `later` waits for `earlier` too.
    void depend(TaskId later, TaskId earlier);
    void hold(TaskId first, TaskId last);
    void slow(const SlowDown& slow_down);

    void reserve(std::size_t tasks, std::size_t dependencies);
    [[nodiscard]] std::size_t size() const { return graph_.size(); }

    /// The tasks, checked. Throws InputError for what cannot be played, such as tasks that wait for one another.
    TaskGraph build() &&;

private:
    void check_resources() const;
    void check_flows() const;
    void check_tasks() const;

    TaskGraph graph_;
    std::vector<Adjacency::Edge> dependencies_;  ///< from a task to one that it depends on
    bool added_in_order_ = true;                 ///< every task was added after those that it depends on
};

}  // namespace dodona::simulate
