// The state of a run by events (play.hpp): tasks, resources at work, flows under way and the queue of what happens next.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulate/active_flows.hpp"
#include "simulate/play.hpp"

namespace dodona::simulate {

inline constexpr std::uint32_t kNothing = 0xffffffffU;

/// What happens to a subject: a task (numbers below the number of tasks), then the resources, then groups of flows.
struct Event {
    double time = 0;
    std::uint32_t subject = 0;
    std::uint32_t version = 0;
};

/// A task that gave way.
struct Interrupted {
    double done = 0;  ///< seconds of work, or bytes
    Seconds start;    ///< of its first stretch
};

/// A resource while it works. Work is in seconds at full speed, for a task with a flow in bytes.
struct Worker {
    /// Ready tasks: of a fifo resource in order, those before `next` done; otherwise a heap; of one in order none.
    std::vector<std::uint32_t> queue;
    std::size_t next = 0;  ///< of an in-order resource: place of its next task; of a fifo one: the same in its queue
    std::uint32_t running = kNothing;  ///< task, or the task that holds it
    std::uint32_t version = 0;         ///< of the event that says when it stops
    std::uint32_t flow = kNothing;     ///< number of the running task's flow while it is under way
    bool is_touched = false;
    bool is_open = true;      ///< its start has come
    bool is_chunked = false;  ///< tasks may give way
    bool is_held = false;     ///< the running task has ended, others go on for it
    double speed = 1;
    double total = 0;        ///< work of the task
    double done_before = 0;  ///< in earlier stretches
    double done = 0;         ///< at `updated`, from the beginning
    double updated = 0;
    double stop = 0;           ///< work after which the task stops: all of it, or the end of a chunk
    double stretch_start = 0;  ///< time
    Cause last = kNoCause;     ///< what ended last on it
};

class Player {
public:
    Player(const TaskGraph& graph, const Routes* routes, const Variation& variation);
    Timeline run();

private:
    // Time
    void push(double time, std::uint32_t subject, std::uint32_t version);
    bool pop_events();
    void handle(const Event& event);
    void settle();

    // Tasks
    void make_ready(std::uint32_t task, Cause cause);
    void start(std::uint32_t task);
    void begin_work(std::uint32_t task);
    void begin_flow(std::uint32_t task);
    void finish(std::uint32_t task);
    void stop(std::uint32_t task);
    void interrupt(std::uint32_t task);
    void release(std::uint32_t resource, Cause last);

    // Resources
    void touch(std::uint32_t resource);
    void dispatch(std::uint32_t resource);
    [[nodiscard]] bool goes_later(std::uint32_t a, std::uint32_t b) const;
    void add_to_queue(std::uint32_t resource, std::uint32_t task);
    [[nodiscard]] std::uint32_t next_task(std::uint32_t resource) const;
    void remove_next(std::uint32_t resource);
    void make_way(std::uint32_t resource);
    void schedule_stop(Worker& worker);
    void note_busy(std::uint32_t resource);
    void update_speeds();
    [[nodiscard]] double work_done(const Worker& worker) const;

    [[nodiscard]] std::uint32_t resource_of(std::uint32_t task) const {
        return static_cast<std::uint32_t>(graph_.resource_of[task]);
    }
    [[nodiscard]] bool has_flow(std::uint32_t task) const { return graph_.flow_of[task] != TaskGraph::kNoFlow; }
    [[nodiscard]] bool is_shared(std::uint32_t resource) const { return shared_number_[resource] != kNothing; }
    [[nodiscard]] bool holds(std::uint32_t task) const {
        return !graph_.held_until.empty() && graph_.held_until[task] != kNoTask;
    }
    [[nodiscard]] double duration(std::uint32_t task) const {
        return (variation_.durations.empty() ? graph_.durations[task] : variation_.durations[task]).in(unit::second);
    }
    [[nodiscard]] double bytes(std::uint32_t task) const {
        const std::uint32_t flow = graph_.flow_of[task];
        return (variation_.bytes.empty() ? graph_.flows[flow].bytes : variation_.bytes[flow]).in(unit::byte);
    }
    [[nodiscard]] double limit(const Flow& flow) const {
        return flow.most > BytesPerSecond{} ? flow.most.in(unit::byte_per_second) : ActiveFlows::kUnlimited;
    }
    void count_stretch(std::uint32_t task, double start);
    [[noreturn]] void fail_stuck() const;

    const TaskGraph& graph_;
    const Routes* routes_;
    const Variation& variation_;
    std::uint32_t tasks_;
    std::uint32_t subjects_before_groups_;
    bool has_links_ = false;

    double now_ = 0;
    std::vector<Event> events_;  ///< a heap
    std::vector<std::uint32_t> waits_;
    std::vector<std::uint32_t> ready_;       ///< tasks without a resource, to be started now
    std::vector<std::uint32_t> touched_;     ///< resources that may take a task now
    std::vector<std::uint32_t> dispatched_;  ///< those of the round at hand
    std::vector<Worker> workers_;
    std::vector<std::uint32_t> shared_number_;  ///< of each shared resource, by which its link is found
    std::vector<std::uint32_t> in_shared_;      ///< tasks on each shared resource
    std::vector<std::uint32_t> held_by_;        ///< last task that holds -> the first; empty: none
    std::unordered_map<std::uint32_t, Interrupted> interrupted_;  ///< only looked up
    Adjacency slowed_by_;   ///< resource -> resources that it slows down while it is busy
    Adjacency slow_downs_;  ///< resource -> its slow-downs, by number
    std::vector<std::uint32_t> speeds_to_check_;
    ActiveFlows flows_;
    std::size_t finished_ = 0;
    Timeline timeline_;
};

}  // namespace dodona::simulate
