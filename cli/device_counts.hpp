// Numbers of GPUs as `dodona report --gpus` takes them: 1..4096, 1..4096:8, or 8,16,24.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/arguments.hpp"
#include "cluster/cluster.hpp"
#include "questions/question.hpp"

namespace dodona::cli {

using questions::DeviceCounts;

/// Without --gpus: the whole machine as a range.
DeviceCounts read_device_counts(Arguments& arguments);

/// Ascending; of a range without a step powers of two and whole nodes (search::doublings). Faults: more than the machine has,
/// or too many numbers.
std::vector<std::int64_t> counts_on(Arguments& arguments, const DeviceCounts& asked, const cluster::Cluster& cluster);

}  // namespace dodona::cli
