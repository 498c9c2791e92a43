// Cores that only send and receive, as the endpoint processes of Intel MLSL do: a worker computes on those that are left.
// c endpoints on a device of m cores (its multiprocessors), each of which sends r while it receives as much:
//
//   compute of a step, kernels of compression    C m / (m - c)
//   a collective                                 max( T, V / (c r) ), V what a worker sends of it
//   a worker's wires                             at most c r
//
// All compute is taken to be bound by cores: what is bound by memory loses less. An exchange without endpoints takes no
// cores and has the whole rate of the links.
// Source: intel/MLSL Developer Guide, MLSL_NUM_SERVERS: 4 by default, at most 16, taken from the cores of compute.
#pragma once

#include <cstdint>

#include "exchange/exchange_cost.hpp"

namespace dodona::exchange {

/// `endpoints` of a device of `cores`. Domain: at least 1, and fewer than the cores.
struct CoreSplit {
    std::int64_t cores = 2;
    std::int64_t endpoints = 1;

    /// What computes takes so many times as long.
    [[nodiscard]] double slow_down() const {
        return static_cast<double>(cores) / static_cast<double>(cores - endpoints);
    }
};

Network network_with(const CoreSplit& split, BytesPerSecond rate, Network network);
ReplicaWork work_beside(const CoreSplit& split, ReplicaWork work);

}  // namespace dodona::exchange
