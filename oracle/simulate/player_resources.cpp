// What resources do in a run by events: which task comes next, how fast it goes, when it gives way.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "simulate/player.hpp"

namespace dodona::simulate {

bool Player::goes_later(std::uint32_t a, std::uint32_t b) const {
    if (graph_.priorities[a] != graph_.priorities[b] &&
        graph_.resources[resource_of(a)].discipline == Discipline::priority) {
        return graph_.priorities[a] < graph_.priorities[b];
    }
    return timeline_.start[a] != timeline_.start[b] ? timeline_.start[a] > timeline_.start[b] : a > b;
}

void Player::add_to_queue(std::uint32_t resource, std::uint32_t task) {
    std::vector<std::uint32_t>& queue = workers_[resource].queue;
    const Discipline discipline = graph_.resources[resource].discipline;
    if (discipline == Discipline::in_order) {
        return;  // its tasks are known
    }
    queue.push_back(task);
    if (discipline != Discipline::fifo) {
        std::push_heap(queue.begin(), queue.end(), [&](std::uint32_t a, std::uint32_t b) { return goes_later(a, b); });
        return;
    }
    // Tasks become ready in the order of time: only among those of this moment it may not be the last.
    for (std::size_t i = queue.size() - 1; i > workers_[resource].next && goes_later(queue[i - 1], queue[i]); --i) {
        std::swap(queue[i - 1], queue[i]);
    }
}

/// The task that the resource takes next, or kNothing.
std::uint32_t Player::next_task(std::uint32_t resource) const {
    const Worker& worker = workers_[resource];
    switch (graph_.resources[resource].discipline) {
        case Discipline::in_order: {
            const std::span<const std::uint32_t> all = graph_.in_order_tasks.of(resource);
            return worker.next < all.size() && waits_[all[worker.next]] == 0 ? all[worker.next] : kNothing;
        }
        case Discipline::fifo: return worker.next < worker.queue.size() ? worker.queue[worker.next] : kNothing;
        case Discipline::priority:
        case Discipline::shared: break;
    }
    return worker.queue.empty() ? kNothing : worker.queue.front();
}

void Player::remove_next(std::uint32_t resource) {
    Worker& worker = workers_[resource];
    switch (graph_.resources[resource].discipline) {
        case Discipline::in_order: ++worker.next; return;
        case Discipline::fifo:
            if (++worker.next == worker.queue.size()) {
                worker.queue.clear();
                worker.next = 0;
            }
            return;
        case Discipline::priority:
        case Discipline::shared: break;
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

}  // namespace dodona::simulate
