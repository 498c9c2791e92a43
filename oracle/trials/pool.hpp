// The nodes that trials run on, and what a trial takes of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/quantity.hpp"

namespace dodona::trials {

/// Cores and GPUs: of a node, or what one trial takes.
struct Units {
    std::int64_t cores = 0;
    std::int64_t gpus = 0;
    auto operator<=>(const Units&) const = default;

    [[nodiscard]] bool holds(const Units& taken) const { return taken.cores <= cores && taken.gpus <= gpus; }
    Units& operator+=(const Units& other) {
        cores += other.cores;
        gpus += other.gpus;
        return *this;
    }
    Units& operator-=(const Units& other) {
        cores -= other.cores;
        gpus -= other.gpus;
        return *this;
    }
};

/// Equal nodes. A trial that takes more GPUs than a node has takes whole nodes.
struct Pool {
    std::int64_t nodes = 1;
    Units node;

    [[nodiscard]] std::int64_t nodes_of(const Units& taken) const {
        return taken.gpus <= node.gpus || node.gpus == 0 ? 1 : (taken.gpus + node.gpus - 1) / node.gpus;
    }
    /// What a trial takes of each of its nodes.
    [[nodiscard]] Units on_each_node(const Units& taken) const { return nodes_of(taken) == 1 ? taken : node; }
    /// Trials of this size that run at once; 0: it does not fit.
    [[nodiscard]] std::int64_t slots(const Units& taken) const {
        if (nodes_of(taken) > 1) {
            return taken.gpus % node.gpus == 0 && taken.cores <= node.cores ? nodes / nodes_of(taken) : 0;
        }
        const std::int64_t by_cores = taken.cores > 0 ? node.cores / taken.cores : INT64_MAX;
        const std::int64_t by_gpus = taken.gpus > 0 ? node.gpus / taken.gpus : INT64_MAX;
        const std::int64_t of_node = std::min(by_cores, by_gpus);
        return of_node == INT64_MAX ? 0 : nodes * of_node;
    }
};

/// A trial to schedule.
struct Job {
    Seconds time;
    Units units;
};

/// The time for which a job would take all cores of the pool; and all its GPUs.
inline Seconds core_time(const Job& job, const Pool& pool) {
    const std::int64_t taken = pool.on_each_node(job.units).cores * pool.nodes_of(job.units);
    const std::int64_t all = pool.node.cores * pool.nodes;
    return taken > 0 ? static_cast<double>(taken) / static_cast<double>(all) * job.time : Seconds{};
}
inline Seconds gpu_time(const Job& job, const Pool& pool) {
    const std::int64_t taken = pool.on_each_node(job.units).gpus * pool.nodes_of(job.units);
    const std::int64_t all = pool.node.gpus * pool.nodes;
    return taken > 0 ? static_cast<double>(taken) / static_cast<double>(all) * job.time : Seconds{};
}

}  // namespace dodona::trials
