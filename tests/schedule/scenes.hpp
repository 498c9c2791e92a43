// Schedules played with durations that are easy to follow by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include "schedule/in_flight.hpp"
#include "schedule/play.hpp"
#include "schedule/schedule.hpp"

namespace dodona::schedule {

/// For messages of failed tests.
inline void PrintTo(const Task& task, std::ostream* out) { *out << to_text(task); }

namespace test {

/// Durations of one position: forward, gradients of inputs, of weights, and a forward and a backward pass together.
struct Pass {
    double forward = 1;
    double input = 1;
    double weight = 1;
    double pair = 3;
};

inline const Schedule& named(std::string_view name) {
    const Schedule* const schedule = find_schedule(name);
    check(schedule != nullptr, "a schedule of that name");
    return *schedule;
}

inline Order order_of(std::string_view name, const Shape& shape) { return schedule::order_of(named(name), shape); }

/// Equal positions; B takes as long as I and W.
inline Durations<double> equal(std::int32_t positions, const Pass& pass) {
    Durations<double> durations(positions);
    for (std::int32_t k = 0; k < positions; ++k) {
        durations.of(TaskKind::forward, k) = pass.forward;
        durations.of(TaskKind::backward_input, k) = pass.input;
        durations.of(TaskKind::backward_weight, k) = pass.weight;
        durations.of(TaskKind::backward, k) = pass.input + pass.weight;
    }
    durations.pairs.assign(static_cast<std::size_t>(positions), pass.pair);
    return durations;
}

inline Played<double> played(const Order& order, const Durations<double>& durations) {
    Played<double> result;
    play(resolve(order), durations, result);
    return result;
}

inline Played<double> played(const Order& order, const Pass& pass) {
    return played(order, equal(order.positions(), pass));
}

/// Idle time of the stage that has most of it, over the whole step or within its own first start and last end.
inline double idle(const Played<double>& run) {
    double most = 0;
    for (std::size_t s = 0; s < run.busy.size(); ++s) {
        most = std::max(most, run.idle(static_cast<std::int32_t>(s)));
    }
    return most;
}
inline double idle_within(const Played<double>& run) {
    double most = 0;
    for (std::size_t s = 0; s < run.busy.size(); ++s) {
        most = std::max(most, run.idle_within(static_cast<std::int32_t>(s)));
    }
    return most;
}

}  // namespace test
}  // namespace dodona::schedule
