// Numbers of GPUs as `dodona report --gpus` takes them: 1..4096, 1..4096:8, or 8,16,24.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/arguments.hpp"
#include "cluster/cluster.hpp"

namespace dodona::cli {

struct DeviceCounts {
    std::optional<std::int64_t> least, most;  ///< of a range
    std::optional<std::int64_t> step;         ///< of a range: its multiples between both ends
    std::vector<std::int64_t> listed;         ///< ascending, each once
};

/// Without --gpus: the whole machine as a range.
DeviceCounts read_device_counts(Arguments& arguments);

/// Ascending; of a range without a step powers of two and whole nodes (search::doublings). Faults: more than the machine has,
/// or too many numbers.
std::vector<std::int64_t> counts_on(Arguments& arguments, const DeviceCounts& asked, const cluster::Cluster& cluster);

}  // namespace dodona::cli
