// A kernel beside a load on other cores: how much slower each of the two becomes.
#pragma once

#include <vector>

#include "calibrate/cpu/tensor_factory.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

/// `kernel` names the kernel's benchmark, whose other parameters stand in the same case; `load` is a pattern, or
/// `resource` (memory, network, io, cpu) one that never pauses; `directory` is where files are written, and
/// `load_threads` how many threads the load has (1). Kernel and load keep to different cores of a package; the kernel
/// runs warm, back to back, over whole cycles of the pattern.
///
/// The time is one run beside the load, with its quartiles: CPU time where the kernel has one thread (words: `clock:
/// process`), as others on the same CPU then do not count while waiting for memory does; wall time where it has more.
/// Values: "alone" and "beside" (mean seconds of a run), "slow_down" (beside / alone), "wall_slow_down"; "load_alone"
/// and "load_beside" (bytes, or rounds of a CPU load, a second of the load's CPU time; where it waits for a network or
/// a file, a second that it is on), "load_slow_down" (alone / beside).
Measurement interference(const Case& asked, const std::vector<int>& cpus, const TensorFactory& factory,
                         const Settings& settings);

}  // namespace dodona::calibrate::cpu
