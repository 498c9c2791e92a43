// Operators on k workers: whenever a worker is free it takes the operator that has been ready longest.
//
// How long an operator takes depends on how many run beside it (operator_time.hpp), so it advances at a rate that
// changes when others start and end:
//
//   d(share done) / dt = 1 / t(n, a)
//
// Of operators that became ready at once the one of the smaller depth goes first, then the one that comes first in the
// network.
// Source: Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17(2), 1969: a list schedule.
#pragma once

#include <cstdint>
#include <functional>

#include "base/quantity.hpp"
#include "threads/operator_graph.hpp"

namespace dodona::threads {

/// Of a kind of operator, beside so many others, itself included.
using TimeOf = std::function<Seconds(std::size_t kind, std::int64_t active)>;

/// Places in an order of operators, `to` not included.
struct Part {
    std::size_t from = 0;
    std::size_t to = 0;
};

struct Played {
    Seconds time;
    std::int64_t busiest = 0;  ///< the most operators at once
};

/// The operators of a part alone: what they wait for outside of it has ended. `order`: numbers of operators by depth.
Played list_schedule(const OperatorGraph& graph, const std::vector<std::size_t>& order, Part part, std::int64_t workers,
                     const TimeOf& time);

}  // namespace dodona::threads
