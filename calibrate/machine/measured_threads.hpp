// What threads of a CPU cost, of the records of a back end.
//
//   core_bandwidth   the fastest stream through memory on one thread
//   serial           a kernel that does nothing, on one thread
//   f(n)             an empty region of n threads = fork + barrier log2 n, least squares; of one n alone all is the fork
//   oversubscription (t(2c) - 2 q f(2c)) / (t(c) - q f(c)) - 1, at least 0: q passes in caches on as many threads as there
//                    are cores, c, and on twice as many, where a fork takes twice as long (threads/operator_time.hpp)
#pragma once

#include <optional>
#include <span>

#include "calibrate/record/record.hpp"
#include "cluster/thread_times.hpp"

namespace dodona::calibrate {

/// None where no fork or no stream on one thread was measured undisturbed.
std::optional<cluster::ThreadTimes> measured_threads(std::span<const Record> records, const cluster::Provenance& from);

}  // namespace dodona::calibrate
