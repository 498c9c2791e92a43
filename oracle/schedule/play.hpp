// Plays an order: when each task starts and ends.
//
//   start = max(end of the task before on the stage, arrival of what it waits for)
//   end   = start + duration
//
// A pair that runs together starts when both its tasks can and has a duration of its own. Between stages a transfer
// delays the arrival. Asynchronous: each stage sends in each direction on a stream of its own, one transfer after the
// other. Blocking: a transfer occupies the stage that receives it, right before its task; sends are buffered. A stage
// that sends and receives at once takes the time once. Not modelled: shared links, slower compute during a transfer.
//
// The number type needs a default of zero, +, - and <, so that numbers with derivatives can be played: of several
// latest arrivals the first counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.hpp"
#include "schedule/dependencies.hpp"
#include "schedule/schedule.hpp"

namespace dodona::schedule {

/// How long tasks and transfers take, in a unit of the caller's choice.
template <class Number>
struct Durations {
    explicit Durations(std::int32_t positions_)
        : positions(positions_), tasks(kTaskKinds * static_cast<std::size_t>(positions_)) {}

    std::int32_t positions;
    std::vector<Number> tasks;               ///< by kind, then by position
    std::vector<Number> pairs;               ///< by the position of the forward pass; empty: both parts in turn
    std::vector<Number> forward_transfers;   ///< from position k to k + 1; empty: none take time
    std::vector<Number> backward_transfers;  ///< from position k + 1 to k; empty: none take time
    bool blocking = false;                   ///< transfers occupy the stages that receive them

    Number& of(TaskKind kind, std::int32_t position) {
        return tasks[static_cast<std::size_t>(kind) * static_cast<std::size_t>(positions) +
                     static_cast<std::size_t>(position)];
    }
};

/// Times of a played order. The memory is kept from one play to the next.
template <class Number>
struct Played {
    std::vector<Number> start;  ///< of each task, stage after stage
    std::vector<Number> end;
    Number makespan{};                 ///< from 0 to the end of the last task
    std::vector<Number> busy;          ///< of each stage: time in tasks
    std::vector<Number> transferring;  ///< of each stage: time in blocking transfers
    std::vector<Number> first_start;   ///< of each stage, blocking receipts included
    std::vector<Number> last_end;      ///< of each stage

    /// Time of a stage in neither tasks nor transfers, of the whole makespan.
    [[nodiscard]] Number idle(std::int32_t stage) const {
        const auto s = static_cast<std::size_t>(stage);
        return makespan - busy[s] - transferring[s];
    }
    /// The same between the stage's first start and last end: what a step costs a stage that goes on with the next step
    /// at once.
    [[nodiscard]] Number idle_within(std::int32_t stage) const {
        const auto s = static_cast<std::size_t>(stage);
        return last_end[s] - first_start[s] - busy[s] - transferring[s];
    }

    std::vector<Number> arrival;           ///< of each task's result at the stage that needs it
    std::vector<Number> streams[2];        ///< of each stage: when its stream forward, backward is free
    std::vector<unsigned char> has_begun;  ///< of each stage
};

namespace detail {

template <class Number>
const Number& later(const Number& a, const Number& b) {
    return a < b ? b : a;
}

template <class Number>
void reset(Played<Number>& played, const Dependencies& dependencies) {
    const auto stages = static_cast<std::size_t>(dependencies.stages);
    played.start.resize(dependencies.steps.size());
    played.end.resize(dependencies.steps.size());
    played.arrival.resize(dependencies.steps.size());
    for (std::vector<Number>* each : {&played.busy, &played.transferring, &played.first_start, &played.last_end,
                                      &played.streams[0], &played.streams[1]}) {
        each->assign(stages, Number{});
    }
    played.has_begun.assign(stages, 0);
    played.makespan = Number{};
}

/// Transfers in the direction of a step; empty: none take time.
template <class Number>
const std::vector<Number>& transfers_of(const Durations<Number>& durations, const Step& step) {
    return step.is_backward ? durations.backward_transfers : durations.forward_transfers;
}

/// Notes when a stage starts to do something, if it is the first time.
template <class Number>
void note_start(std::size_t stage, const Number& begin, Played<Number>& played) {
    if (played.has_begun[stage] == 0) {
        played.has_begun[stage] = 1;
        played.first_start[stage] = begin;
    }
}

/// When a stage that is free at `free` has what a step waits for.
template <class Number>
Number receive(const Step& step, const Durations<Number>& durations, const Number& free, Played<Number>& played) {
    if (step.producer < 0) {
        return free;
    }
    const Number& arrival = played.arrival[static_cast<std::size_t>(step.producer)];
    const std::vector<Number>& transfers = transfers_of(durations, step);
    if (!durations.blocking || step.receipt < 0 || transfers.empty()) {
        return later(free, arrival);
    }
    const auto s = static_cast<std::size_t>(step.stage);
    const Number& transfer = transfers[static_cast<std::size_t>(step.receipt)];
    const Number begin = later(free, arrival);
    note_start(s, begin, played);
    played.transferring[s] = played.transferring[s] + transfer;
    return begin + transfer;
}

/// Sends the result of a step that has ended, if another stage needs it and does not fetch it itself.
template <class Number>
void send(const Step& step, const Durations<Number>& durations, Played<Number>& played) {
    const std::vector<Number>& transfers = transfers_of(durations, step);
    if (step.transfer < 0 || transfers.empty() || durations.blocking) {
        return;
    }
    const auto task = static_cast<std::size_t>(step.task);
    Number& stream = played.streams[step.is_backward ? 1 : 0][static_cast<std::size_t>(step.stage)];
    stream = later(played.end[task], stream) + transfers[static_cast<std::size_t>(step.transfer)];
    played.arrival[task] = stream;
}

/// How long a step takes, or the pair that starts with it.
template <class Number>
Number duration_of(const Step* step, const Durations<Number>& durations) {
    const Number& alone = durations.tasks[static_cast<std::size_t>(step->duration)];
    if (!step->overlaps_next) {
        return alone;
    }
    if (!durations.pairs.empty()) {
        return durations.pairs[static_cast<std::size_t>(step->duration)];  // forward is the first kind
    }
    return alone + durations.tasks[static_cast<std::size_t>((step + 1)->duration)];
}

template <class Number>
void check_sizes(const Dependencies& dependencies, const Durations<Number>& durations) {
    check(durations.positions == dependencies.positions, "durations are for the positions of the order");
    const auto positions = static_cast<std::size_t>(durations.positions);
    const auto fits = [](const std::vector<Number>& values, std::size_t size) {
        return values.empty() || values.size() == size;
    };
    check(fits(durations.pairs, positions) && fits(durations.forward_transfers, positions - 1) &&
              fits(durations.backward_transfers, positions - 1),
          "durations of pairs and transfers are there for all positions or none");
}

}  // namespace detail

/// Plays an order that runs to its end into `played`.
template <class Number>
void play(const Dependencies& dependencies, const Durations<Number>& durations, Played<Number>& played) {
    check(dependencies.blocked.empty(), "only an order that runs to its end can be played");
    detail::check_sizes(dependencies, durations);
    detail::reset(played, dependencies);
    const Step* const end_of_steps = dependencies.steps.data() + dependencies.steps.size();
    for (const Step* step = dependencies.steps.data(); step != end_of_steps;) {
        const Step* const next = step + (step->overlaps_next ? 2 : 1);
        const auto s = static_cast<std::size_t>(step->stage);
        Number begin = played.last_end[s];
        for (const Step* part = step; part != next; ++part) {
            begin = detail::receive(*part, durations, begin, played);
        }
        const Number duration = detail::duration_of(step, durations);
        const Number end = begin + duration;
        detail::note_start(s, begin, played);
        played.busy[s] = played.busy[s] + duration;
        played.last_end[s] = end;
        for (const Step* part = step; part != next; ++part) {
            const auto task = static_cast<std::size_t>(part->task);
            played.start[task] = begin;
            played.end[task] = end;
            played.arrival[task] = end;
            detail::send(*part, durations, played);
        }
        step = next;
    }
    for (const Number& end : played.last_end) {
        played.makespan = detail::later(played.makespan, end);
    }
}

/// What `more` micro-batches add to a run of those of the shape: in the steady state of a schedule that does not flush,
/// the time of as many. Both numbers of micro-batches must meet the schedule's requirements.
template <class Number>
Number steady_time(const Schedule& schedule, const Shape& shape, std::int32_t more,
                   const Durations<Number>& durations) {
    Played<Number> played;
    play(resolve(order_of(schedule, shape)), durations, played);
    const Number before = played.makespan;
    const Shape longer{shape.stages, shape.micro_batches + more, shape.virtual_stages};
    play(resolve(order_of(schedule, longer)), durations, played);
    return played.makespan - before;
}

/// The share of a step in which stages are idle: sum of idle time over stages * makespan.
double bubble_fraction(const Played<double>& played);

}  // namespace dodona::schedule
