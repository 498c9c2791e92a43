// What threads of a CPU cost, of the records of a back end.
//
//   core_bandwidth   the fastest stream through memory on one thread
//   serial           a kernel that does nothing, on one thread
//   f(n)             an empty region of n threads = fork + barrier log2 n, least squares; of one n alone all is the fork
//   crowding         of a kind of kernel, q kernels in all one after the other, t(threads, operators) the median:
//                    threads = sum t(2c, 1) / sum t(c, 1) - 1,   operators = sum t(c, 2) / (2 sum t(c, 1)) - 1
//                    over the kernels of that kind that were measured, neither below 0
#pragma once

#include <optional>
#include <span>

#include "calibrate/record/record.hpp"
#include "cluster/thread_times.hpp"

namespace dodona::calibrate {

/// None where no fork or no stream on one thread was measured undisturbed.
std::optional<cluster::ThreadTimes> measured_threads(std::span<const Record> records, const cluster::Provenance& from);

}  // namespace dodona::calibrate
