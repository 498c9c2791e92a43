#include "trials/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::trials {

Scheduler::Scheduler(std::vector<Job> jobs, const Pool& pool, Policy policy)
    : jobs_(std::move(jobs)),
      pool_(pool),
      policy_(policy),
      free_(static_cast<std::size_t>(pool.nodes), pool.node),
      lost_(static_cast<std::size_t>(pool.nodes)),
      lanes_(static_cast<std::size_t>(pool.nodes)) {
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
        check(pool_.slots(jobs_[job].units) > 0, "a trial does not fit on the nodes");
        queue_.push_back(job);
        sizes_.insert(jobs_[job].units);
    }
    if (policy_ == Policy::lpt) {
        stable_sort(queue_, [&](std::size_t a, std::size_t b) { return jobs_[a].time > jobs_[b].time; });
    }
}

void Scheduler::enqueue(std::size_t job) {
    const auto longer = [&](std::size_t a, std::size_t b) { return jobs_[a].time > jobs_[b].time; };
    queue_.insert(policy_ == Policy::lpt ? std::upper_bound(queue_.begin(), queue_.end(), job, longer) : queue_.end(),
                  job);
}

std::size_t Scheduler::add(const Job& job) {
    check(pool_.slots(job.units) > 0, "a trial does not fit on the nodes");
    jobs_.push_back(job);
    sizes_.insert(job.units);
    enqueue(jobs_.size() - 1);
    return jobs_.size() - 1;
}

void Scheduler::resubmit(std::size_t job) { enqueue(job); }

void Scheduler::withdraw(std::size_t job) { std::erase(queue_, job); }

std::optional<std::int64_t> Scheduler::room(const Units& units, const std::vector<Units>& free) const {
    const std::int64_t needed = pool_.nodes_of(units);
    const Units on_each = pool_.on_each_node(units);
    std::optional<std::int64_t> best;
    std::int64_t in_a_row = 0;
    for (std::int64_t node = 0; node < pool_.nodes; ++node) {
        const auto n = static_cast<std::size_t>(node);
        in_a_row = !lost_[n] && free[n].holds(on_each) ? in_a_row + 1 : 0;
        if (in_a_row < needed) {
            continue;
        }
        const std::int64_t first = node - needed + 1;
        if (needed > 1) {
            return first;
        }
        const auto room_of = [&](std::int64_t at) {
            const Units& left = free[static_cast<std::size_t>(at)];
            return std::pair(left.gpus, left.cores);
        };
        if (!best || room_of(first) < room_of(*best)) {
            best = first;
        }
    }
    return best;
}

bool Scheduler::can_hold(const Units& units) const {
    return room(units, std::vector<Units>(free_.size(), pool_.node)).has_value();
}

/// When a job can start if nothing else does, given the ends that are expected.
Seconds Scheduler::earliest(const Units& units, std::vector<Units> free, Seconds now) const {
    auto ends = mapped<const Running*>(running_, [](const Running& running) { return &running; });
    std::stable_sort(ends.begin(), ends.end(),
                     [](const Running* a, const Running* b) { return a->expected_end < b->expected_end; });
    for (const Running* ended : ends) {
        for (std::int64_t i = 0; i < ended->place.nodes; ++i) {
            free[static_cast<std::size_t>(ended->place.node + i)] += ended->on_each;
        }
        if (room(units, free)) {
            return max(now, ended->expected_end);
        }
    }
    return now;
}

/// Whether a job on a node would keep the first in the queue from starting when it could.
bool Scheduler::delays(std::size_t job, std::int64_t node, const Job& first, Seconds reserved, Seconds now) const {
    if (now + jobs_[job].time <= reserved) {
        return false;
    }
    std::vector<Units> free = free_;
    const Units on_each = pool_.on_each_node(jobs_[job].units);
    for (std::int64_t i = 0; i < pool_.nodes_of(jobs_[job].units); ++i) {
        free[static_cast<std::size_t>(node + i)] -= on_each;
    }
    for (const Running& running : running_) {
        for (std::int64_t i = 0; running.expected_end <= reserved && i < running.place.nodes; ++i) {
            free[static_cast<std::size_t>(running.place.node + i)] += running.on_each;
        }
    }
    return !room(first.units, free).has_value();
}

std::vector<Start> Scheduler::start(Seconds now, std::size_t most) {
    std::vector<Start> started;
    std::set<Units> without_room;  // sizes that were tried in vain
    std::optional<Seconds> reserved;
    for (std::size_t position = 0; position < queue_.size() && started.size() < most;) {
        const std::size_t job = queue_[position];
        const Units& units = jobs_[job].units;
        const std::optional<std::int64_t> node = without_room.contains(units) ? std::nullopt : room(units, free_);
        const bool passes = position > 0 && policy_ == Policy::backfill;
        if (node && (!passes || !delays(job, *node, jobs_[queue_.front()], *reserved, now))) {
            started.push_back(take(position, *node, now));
            continue;
        }
        if (!node) {
            without_room.insert(units);
        }
        if ((position == 0 && policy_ == Policy::fifo) || without_room.size() == sizes_.size()) {
            break;
        }
        if (position == 0) {
            reserved = earliest(units, free_, now);
        }
        ++position;
    }
    return started;
}

Start Scheduler::take(std::size_t position, std::int64_t node, Seconds now) {
    const std::size_t job = queue_[position];
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(position));
    std::vector<bool>& lanes = lanes_[static_cast<std::size_t>(node)];
    const auto lane = std::find(lanes.begin(), lanes.end(), false) - lanes.begin();
    if (static_cast<std::size_t>(lane) == lanes.size()) {
        lanes.push_back(false);
    }
    lanes[static_cast<std::size_t>(lane)] = true;
    const Place place{node, pool_.nodes_of(jobs_[job].units), lane};
    const Units on_each = pool_.on_each_node(jobs_[job].units);
    for (std::int64_t i = 0; i < place.nodes; ++i) {
        free_[static_cast<std::size_t>(node + i)] -= on_each;
    }
    running_.push_back({job, place, on_each, now + jobs_[job].time});
    return {job, place};
}

void Scheduler::end(std::size_t job) {
    const auto ended = find_if(running_, [&](const Running& running) { return running.job == job; });
    check(ended != running_.end(), "a trial ends that does not run");
    for (std::int64_t i = 0; i < ended->place.nodes; ++i) {
        free_[static_cast<std::size_t>(ended->place.node + i)] += ended->on_each;
    }
    lanes_[static_cast<std::size_t>(ended->place.node)][static_cast<std::size_t>(ended->place.lane)] = false;
    running_.erase(ended);
}

}  // namespace dodona::trials
