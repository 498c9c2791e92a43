#include "threads/list_schedule.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace dodona::threads {

namespace {

/// An operator under way.
struct Running {
    std::size_t number = 0;
    double left = 1;  ///< share of it
};

/// Operators of a part, and who waits for them.
struct Waiting {
    std::vector<std::size_t> missing;                ///< of each operator: those that have not ended
    std::vector<std::vector<std::size_t>> released;  ///< by each operator
    std::deque<std::size_t> ready;
};

Waiting waiting(const OperatorGraph& graph, const std::vector<std::size_t>& order, Part part) {
    Waiting all;
    all.missing.resize(graph.operators.size());
    all.released.resize(graph.operators.size());
    std::vector<bool> inside(graph.operators.size());
    for (std::size_t place = part.from; place < part.to; ++place) {
        inside[order[place]] = true;
    }
    for (std::size_t place = part.from; place < part.to; ++place) {
        const std::size_t number = order[place];
        for (const std::size_t before : graph.operators[number].after) {
            if (inside[before]) {
                ++all.missing[number];
                all.released[before].push_back(number);
            }
        }
        if (all.missing[number] == 0) {
            all.ready.push_back(number);
        }
    }
    return all;
}

void end(Waiting& waiting, std::size_t number) {
    for (const std::size_t next : waiting.released[number]) {
        if (--waiting.missing[next] == 0) {
            waiting.ready.push_back(next);
        }
    }
}

}  // namespace

Played list_schedule(const OperatorGraph& graph, const std::vector<std::size_t>& order, Part part, std::int64_t workers,
                     const TimeOf& time) {
    constexpr double kRounding = 1e-12;  // of a share: operators that end together
    Waiting waits = waiting(graph, order, part);
    std::vector<Running> running;
    Played played;
    while (!waits.ready.empty() || !running.empty()) {
        while (!waits.ready.empty() && static_cast<std::int64_t>(running.size()) < workers) {
            running.push_back({waits.ready.front()});
            waits.ready.pop_front();
        }
        const auto active = static_cast<std::int64_t>(running.size());
        played.busiest = std::max(played.busiest, active);
        Seconds next = running.front().left * time(graph.operators[running.front().number].kind, active);
        for (const Running& one : running) {
            next = min(next, one.left * time(graph.operators[one.number].kind, active));
        }
        played.time += next;
        std::vector<Running> rest;
        for (Running& one : running) {
            const Seconds whole = time(graph.operators[one.number].kind, active);
            one.left -= whole > Seconds{} ? next / whole : one.left;
            if (one.left > kRounding) {
                rest.push_back(one);
            } else {
                end(waits, one.number);
            }
        }
        running = std::move(rest);
    }
    return played;
}

}  // namespace dodona::threads
