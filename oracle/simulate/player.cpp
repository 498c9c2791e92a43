#include "simulate/player.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "base/ranges.hpp"

namespace dodona::simulate {

namespace {

/// Orders a heap of events: the earliest on top.
struct Later {
    bool operator()(const Event& a, const Event& b) const {
        return a.time != b.time ? a.time > b.time : a.subject > b.subject;
    }
};

std::vector<double> shared_capacities(const TaskGraph& graph) {
    return mapped_where<double>(
        graph.resources, [](const Resource& resource) { return resource.discipline == Discipline::shared; },
        &Resource::capacity);
}

}  // namespace

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
    std::push_heap(events_.begin(), events_.end(), Later());
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
        std::pop_heap(events_.begin(), events_.end(), Later());
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
        dispatched_.swap(touched_);
        touched_.clear();
        if (dispatched_.size() > 1) {
            std::sort(dispatched_.begin(), dispatched_.end());
        }
        for (const std::uint32_t resource : dispatched_) {
            workers_[resource].is_touched = false;
        }
        for (const std::uint32_t resource : dispatched_) {
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
    add_to_queue(resource, task);
    touch(resource);
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
    const auto interrupted = interrupted_.empty() ? interrupted_.end() : interrupted_.find(task);
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

}  // namespace dodona::simulate
