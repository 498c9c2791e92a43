#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "simulate/active_flows.hpp"
#include "simulate/play.hpp"
#include "simulate/task_order.hpp"

namespace dodona::simulate {

namespace {

constexpr std::uint32_t kNothing = 0xffffffffU;

/// What happens to a subject: a task (numbers below the number of tasks), then the resources, then groups of flows.
struct Event {
    double time = 0;
    std::uint32_t subject = 0;
    std::uint32_t version = 0;
};

bool is_later(const Event& a, const Event& b) { return a.time != b.time ? a.time > b.time : a.subject > b.subject; }

/// A task that gave way.
struct Interrupted {
    double done = 0;  ///< seconds of work, or bytes
    Seconds start;    ///< of its first stretch
};

/// A resource while it works. Work is in seconds at full speed, for a task with a flow in bytes.
struct Worker {
    std::vector<std::uint32_t> queue;  ///< ready tasks, a heap; of an in-order resource unused
    std::size_t next = 0;              ///< of an in-order resource: place of its next task
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
    std::vector<std::uint32_t> ready_;  ///< tasks without a resource, to be started now
    std::vector<std::uint32_t> touched_;
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

std::vector<double> shared_capacities(const TaskGraph& graph) {
    std::vector<double> capacities;
    for (const Resource& resource : graph.resources) {
        if (resource.discipline == Discipline::shared) {
            capacities.push_back(resource.capacity);
        }
    }
    return capacities;
}

Player::Player(const TaskGraph& graph, const Routes* routes, const Variation& variation)
    : graph_(graph),
      routes_(routes),
      variation_(variation),
      tasks_(static_cast<std::uint32_t>(graph.size())),
      subjects_before_groups_(static_cast<std::uint32_t>(graph.size() + graph.resources.size())),
      waits_(graph.size()),
      workers_(graph.resources.size()),
      shared_number_(graph.resources.size(), kNothing),
      in_shared_(graph.resources.size()),
      flows_(routes, shared_capacities(graph)) {
    check(graph.flows.empty() || routes != nullptr, "flows need routes");
    timeline_.start.resize(tasks_);
    timeline_.end.resize(tasks_, Seconds::of_base(-1));
    timeline_.cause.resize(tasks_, kNoCause);
    timeline_.busy.resize(graph.resources.size());
    timeline_.time_of_kind.resize(graph.kinds.size());
    std::uint32_t shared = 0;
    for (std::uint32_t i = 0; i < workers_.size(); ++i) {
        const Resource& resource = graph.resources[i];
        const Seconds start = variation.resource_starts.empty() ? resource.start : variation.resource_starts[i];
        if (resource.discipline == Discipline::shared) {
            shared_number_[i] = shared++;
        }
        workers_[i].is_chunked = resource.discipline == Discipline::priority &&
                                 (resource.chunk > Seconds{} || resource.chunk_bytes > Bytes{});
        if (start > Seconds{}) {
            workers_[i].is_open = false;
            push(start.in(unit::second), tasks_ + i, 0);
        }
    }
    has_links_ = shared > 0 || !graph.flows.empty();
    if (!graph.slow_downs.empty()) {
        std::vector<Adjacency::Edge> slowed_by;
        std::vector<Adjacency::Edge> slow_downs;
        for (std::uint32_t i = 0; i < graph.slow_downs.size(); ++i) {
            const auto slowed = static_cast<std::uint32_t>(graph.slow_downs[i].slowed);
            slowed_by.push_back({static_cast<std::uint32_t>(graph.slow_downs[i].busy), slowed});
            slow_downs.push_back({slowed, i});
        }
        slowed_by_ = Adjacency(workers_.size(), slowed_by);
        slow_downs_ = Adjacency(workers_.size(), slow_downs);
    }
    if (!graph.held_until.empty()) {
        held_by_.assign(tasks_, kNothing);
        for (std::uint32_t task = 0; task < tasks_; ++task) {
            if (holds(task)) {
                held_by_[index(graph.held_until[task])] = task;
            }
        }
    }
}

void Player::push(double time, std::uint32_t subject, std::uint32_t version) {
    events_.push_back({time, subject, version});
    std::push_heap(events_.begin(), events_.end(), is_later);
}

/// Handles all events of the next point in time; false if there are none.
bool Player::pop_events() {
    if (events_.empty()) {
        return false;
    }
    now_ = std::max(now_, events_.front().time);
    while (!events_.empty()) {
        const Event event = events_.front();
        const bool is_now =
            event.time <= now_ || (event.subject >= subjects_before_groups_ && event.time <= now_ * (1 + kSameTime));
        if (!is_now) {
            break;
        }
        std::pop_heap(events_.begin(), events_.end(), is_later);
        events_.pop_back();
        handle(event);
    }
    return true;
}

void Player::handle(const Event& event) {
    if (event.subject < tasks_) {
        const std::uint32_t resource = resource_of(event.subject);
        if (resource != static_cast<std::uint32_t>(kNoResource) && !is_shared(resource) &&
            workers_[resource].version != event.version) {
            return;
        }
        if (has_flow(event.subject)) {
            begin_flow(event.subject);
        } else {
            stop(event.subject);
        }
    } else if (event.subject < subjects_before_groups_) {
        const std::uint32_t resource = event.subject - tasks_;
        workers_[resource].is_open = true;
        touch(resource);
    } else {
        const std::uint32_t group = event.subject - subjects_before_groups_;
        if (!flows_.is_current(group, event.version)) {
            return;
        }
        std::vector<std::uint32_t> due;
        flows_.take_due(group, now_, due);
        std::sort(due.begin(), due.end());
        for (const std::uint32_t task : due) {
            stop(task);
        }
    }
}

/// Starts what can start now, until nothing more can.
void Player::settle() {
    while (!ready_.empty() || !touched_.empty()) {
        while (!ready_.empty()) {
            const std::uint32_t task = ready_.back();
            ready_.pop_back();
            start(task);
        }
        std::sort(touched_.begin(), touched_.end());
        const std::vector<std::uint32_t> touched = std::exchange(touched_, {});
        for (const std::uint32_t resource : touched) {
            workers_[resource].is_touched = false;
        }
        for (const std::uint32_t resource : touched) {
            dispatch(resource);
        }
    }
}

Timeline Player::run() {
    for (std::uint32_t task = 0; task < tasks_; ++task) {
        waits_[task] = static_cast<std::uint32_t>(graph_.predecessors.count(task));
    }
    for (std::uint32_t task = 0; task < tasks_; ++task) {
        if (graph_.predecessors.count(task) == 0) {
            make_ready(task, kNoCause);
        }
    }
    do {
        settle();
        if (events_.empty() || events_.front().time > now_) {
            update_speeds();
            if (has_links_) {
                flows_.update(now_);
                for (const ActiveFlows::Due& due : flows_.take_changes()) {
                    push(due.time, subjects_before_groups_ + due.group, due.version);
                }
            }
        }
    } while (pop_events());
    if (finished_ < tasks_) {
        fail_stuck();
    }
    return std::move(timeline_);
}

void Player::make_ready(std::uint32_t task, Cause cause) {
    timeline_.start[task] = Seconds::of_base(now_);
    timeline_.cause[task] = cause;
    const std::uint32_t resource = resource_of(task);
    if (resource == static_cast<std::uint32_t>(kNoResource)) {
        ready_.push_back(task);
        return;
    }
    if (graph_.resources[resource].discipline != Discipline::in_order) {
        std::vector<std::uint32_t>& queue = workers_[resource].queue;
        queue.push_back(task);
        std::push_heap(queue.begin(), queue.end(), [&](std::uint32_t a, std::uint32_t b) { return goes_later(a, b); });
    }
    touch(resource);
}

bool Player::goes_later(std::uint32_t a, std::uint32_t b) const {
    if (graph_.priorities[a] != graph_.priorities[b] &&
        graph_.resources[resource_of(a)].discipline == Discipline::priority) {
        return graph_.priorities[a] < graph_.priorities[b];
    }
    return timeline_.start[a] != timeline_.start[b] ? timeline_.start[a] > timeline_.start[b] : a > b;
}

/// The task that the resource takes next, or kNothing.
std::uint32_t Player::next_task(std::uint32_t resource) const {
    const Worker& worker = workers_[resource];
    if (graph_.resources[resource].discipline != Discipline::in_order) {
        return worker.queue.empty() ? kNothing : worker.queue.front();
    }
    const std::span<const std::uint32_t> all = graph_.in_order_tasks.of(resource);
    return worker.next < all.size() && waits_[all[worker.next]] == 0 ? all[worker.next] : kNothing;
}

void Player::remove_next(std::uint32_t resource) {
    Worker& worker = workers_[resource];
    if (graph_.resources[resource].discipline == Discipline::in_order) {
        ++worker.next;
        return;
    }
    std::pop_heap(worker.queue.begin(), worker.queue.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return goes_later(a, b); });
    worker.queue.pop_back();
}

void Player::touch(std::uint32_t resource) {
    if (!workers_[resource].is_touched) {
        workers_[resource].is_touched = true;
        touched_.push_back(resource);
    }
}

/// Starts the next task of a resource, if it can take one.
void Player::dispatch(std::uint32_t resource) {
    Worker& worker = workers_[resource];
    const std::uint32_t task = next_task(resource);
    if (!worker.is_open || task == kNothing) {
        return;
    }
    if (is_shared(resource)) {
        remove_next(resource);
        start(task);
        touch(resource);
    } else if (worker.running == kNothing) {
        remove_next(resource);
        start(task);
    } else if (worker.is_chunked) {
        make_way(resource);
    }
}

void Player::start(std::uint32_t task) {
    const std::uint32_t resource = resource_of(task);
    if (resource == static_cast<std::uint32_t>(kNoResource)) {
        begin_work(task);
        return;
    }
    Worker& worker = workers_[resource];
    if (is_shared(resource)) {
        // It may have waited for the resource's start only.
        if (timeline_.start[task] < Seconds::of_base(now_)) {
            timeline_.cause[task] = kNoCause;
            timeline_.start[task] = Seconds::of_base(now_);
        }
        if (in_shared_[resource]++ == 0) {
            worker.stretch_start = now_;
            note_busy(resource);
        }
        begin_work(task);
        return;
    }
    worker.running = task;
    note_busy(resource);
    worker.stretch_start = now_;
    worker.updated = now_;
    const auto interrupted = interrupted_.find(task);
    if (interrupted != interrupted_.end()) {
        worker.done_before = interrupted->second.done;
        timeline_.start[task] = interrupted->second.start;
        timeline_.cause[task] = worker.last;
        timeline_.last_start[task] = Seconds::of_base(now_);
        interrupted_.erase(interrupted);
        worker.done = worker.done_before;
        worker.stop = worker.total = has_flow(task) ? bytes(task) : duration(task);
        if (has_flow(task)) {
            begin_flow(task);
        } else {
            schedule_stop(worker);
        }
        return;
    }
    if (timeline_.start[task] < Seconds::of_base(now_)) {
        timeline_.cause[task] = worker.last;
        timeline_.start[task] = Seconds::of_base(now_);
    }
    worker.done = worker.done_before = 0;
    begin_work(task);
}

/// The first stretch of a task: its duration, or what comes before its flow.
void Player::begin_work(std::uint32_t task) {
    const std::uint32_t resource = resource_of(task);
    const bool is_alone = resource != static_cast<std::uint32_t>(kNoResource) && !is_shared(resource);
    double delay = duration(task);
    if (has_flow(task)) {
        delay += routes_->latency(graph_.flows[graph_.flow_of[task]].route).in(unit::second);
        push(now_ + delay, task, is_alone ? ++workers_[resource].version : 0);
    } else if (is_alone) {
        workers_[resource].stop = workers_[resource].total = delay;
        schedule_stop(workers_[resource]);
    } else if (resource != static_cast<std::uint32_t>(kNoResource) && delay > 0) {
        flows_.arrive(now_,
                      {.route = flows_.extra_route(shared_number_[resource]), .bytes = delay, .most = 1, .task = task});
    } else if (delay > 0) {
        push(now_ + delay, task, 0);
    } else {
        finish(task);
    }
}

void Player::begin_flow(std::uint32_t task) {
    const Flow& flow = graph_.flows[graph_.flow_of[task]];
    const std::uint32_t resource = resource_of(task);
    const bool is_alone = resource != static_cast<std::uint32_t>(kNoResource);
    const double done = is_alone ? workers_[resource].done_before : 0;
    const double left = bytes(task) - done;
    if (left <= 0 || flows_.is_instant(flow.route, limit(flow))) {
        finish(task);
        return;
    }
    const std::uint32_t number = flows_.arrive(
        now_, {.route = flow.route, .bytes = left, .weight = flow.weight, .most = limit(flow), .task = task});
    if (is_alone) {
        Worker& worker = workers_[resource];
        worker.flow = number;
        worker.stop = worker.total = bytes(task);
        if (worker.is_chunked) {
            touch(resource);  // somebody may have been waiting for it to give way
        }
    }
}

double Player::work_done(const Worker& worker) const {
    return worker.flow != kNothing ? worker.done_before + flows_.transferred(worker.flow, now_)
                                   : worker.done + worker.speed * (now_ - worker.updated);
}

/// Lets the running task stop after the chunk at hand if one of higher priority waits.
void Player::make_way(std::uint32_t resource) {
    Worker& worker = workers_[resource];
    const std::uint32_t task = worker.running;
    if (graph_.priorities[next_task(resource)] <= graph_.priorities[task] || worker.stop < worker.total ||
        holds(task) || (has_flow(task) && worker.flow == kNothing)) {
        return;
    }
    const Resource& description = graph_.resources[resource];
    const double chunk = has_flow(task) ? description.chunk_bytes.in(unit::byte) : description.chunk.in(unit::second);
    if (chunk <= 0) {
        return;
    }
    const double done = work_done(worker) - worker.done_before;
    const double stop = worker.done_before + std::max(1.0, std::ceil(done / chunk * (1 - kSameTime))) * chunk;
    if (stop >= worker.total * (1 - kSameTime)) {
        return;
    }
    worker.stop = stop;
    if (has_flow(task)) {
        flows_.make_due_after(worker.flow, stop - worker.done_before, now_);
    } else {
        schedule_stop(worker);
    }
}

/// Says when the running task, one without a flow, stops.
void Player::schedule_stop(Worker& worker) {
    worker.done = worker.done + worker.speed * (now_ - worker.updated);
    worker.updated = now_;
    push(now_ + std::max(0.0, worker.stop - worker.done) / worker.speed, worker.running, ++worker.version);
}

void Player::stop(std::uint32_t task) {
    const std::uint32_t resource = resource_of(task);
    if (resource != static_cast<std::uint32_t>(kNoResource) && !is_shared(resource) &&
        workers_[resource].stop < workers_[resource].total) {
        interrupt(task);
    } else {
        finish(task);
    }
}

void Player::count_stretch(std::uint32_t task, double start) {
    timeline_.time_of_kind[index(graph_.kind_of[task])] += Seconds::of_base(now_ - start);
}

void Player::interrupt(std::uint32_t task) {
    const std::uint32_t resource = resource_of(task);
    Worker& worker = workers_[resource];
    if (timeline_.last_start.empty()) {
        timeline_.last_start.assign(tasks_, Seconds::of_base(-1));
    }
    const auto cause = static_cast<Cause>(tasks_ + timeline_.stretches.size());
    timeline_.stretches.push_back({.task = TaskId{task},
                                   .start = Seconds::of_base(worker.stretch_start),
                                   .end = Seconds::of_base(now_),
                                   .cause = timeline_.cause[task]});
    count_stretch(task, worker.stretch_start);
    interrupted_[task] = {.done = worker.stop, .start = timeline_.start[task]};
    timeline_.start[task] = Seconds::of_base(-1);  // goes before others of its priority
    worker.queue.push_back(task);
    std::push_heap(worker.queue.begin(), worker.queue.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return goes_later(a, b); });
    release(resource, cause);
}

void Player::release(std::uint32_t resource, Cause last) {
    Worker& worker = workers_[resource];
    worker.running = kNothing;
    worker.flow = kNothing;
    worker.is_held = false;
    worker.last = last;
    note_busy(resource);
    timeline_.busy[resource] += Seconds::of_base(now_ - worker.stretch_start);
    touch(resource);
}

void Player::finish(std::uint32_t task) {
    ++finished_;
    timeline_.end[task] = Seconds::of_base(now_);
    timeline_.makespan = Seconds::of_base(now_);
    const std::uint32_t resource = resource_of(task);
    if (resource == static_cast<std::uint32_t>(kNoResource)) {
        count_stretch(task, timeline_.start[task].in(unit::second));
    } else if (is_shared(resource)) {
        count_stretch(task, timeline_.start[task].in(unit::second));
        if (--in_shared_[resource] == 0) {
            note_busy(resource);
            timeline_.busy[resource] += Seconds::of_base(now_ - workers_[resource].stretch_start);
        }
    } else {
        count_stretch(task, workers_[resource].stretch_start);
        if (holds(task)) {
            workers_[resource].is_held = true;
        } else {
            release(resource, static_cast<Cause>(task));
        }
    }
    if (!held_by_.empty() && held_by_[task] != kNothing) {
        release(resource_of(held_by_[task]), static_cast<Cause>(task));
    }
    for (const std::uint32_t later : graph_.successors.of(task)) {
        if (--waits_[later] == 0) {
            make_ready(later, static_cast<Cause>(task));
        }
    }
}

/// A resource became busy or idle.
void Player::note_busy(std::uint32_t resource) {
    if (!graph_.slow_downs.empty()) {
        const std::span<const std::uint32_t> slowed = slowed_by_.of(resource);
        speeds_to_check_.insert(speeds_to_check_.end(), slowed.begin(), slowed.end());
    }
}

void Player::update_speeds() {
    std::sort(speeds_to_check_.begin(), speeds_to_check_.end());
    speeds_to_check_.erase(std::unique(speeds_to_check_.begin(), speeds_to_check_.end()), speeds_to_check_.end());
    for (const std::uint32_t resource : speeds_to_check_) {
        double speed = 1;
        for (const std::uint32_t number : slow_downs_.of(resource)) {
            const std::size_t busy = index(graph_.slow_downs[number].busy);
            if (workers_[busy].running != kNothing || in_shared_[busy] > 0) {
                speed *= graph_.slow_downs[number].factor;
            }
        }
        Worker& worker = workers_[resource];
        if (speed == worker.speed) {
            continue;
        }
        worker.done += worker.speed * (now_ - worker.updated);
        worker.updated = now_;
        worker.speed = speed;
        if (worker.running != kNothing && !worker.is_held && !has_flow(worker.running)) {
            schedule_stop(worker);
        }
    }
    speeds_to_check_.clear();
}

void Player::fail_stuck() const {
    std::vector<std::string> holding;
    for (std::uint32_t resource = 0; resource < workers_.size(); ++resource) {
        const std::uint32_t task = workers_[resource].running;
        if (task != kNothing) {
            holding.push_back(fmt::format("{} (task {} until task {})", graph_.resources[resource].name, task,
                                          index(graph_.held_until[task])));
        }
    }
    fail({},
         fmt::format("{} of {} tasks can never start: tasks that hold resources wait for one another",
                     tasks_ - finished_, tasks_),
         fmt::format("held: {}; let all resources take these tasks in one order", join_some(holding)));
}

}  // namespace

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
