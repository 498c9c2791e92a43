// Benchmark interference: a kernel beside a load on the same GPU, and how much slower each of the two becomes.
#pragma once

#include "calibrate/cuda/benchmark_context.hpp"

namespace dodona::calibrate::cuda {

/// `kernel` names a benchmark whose parameters stand in the same case; `resource` what the load uses: copy (64 MiB
/// from page-locked memory, again and again), memory (a stream copy of 256 MiB) or collective (an all-reduce of 64 MiB
/// among all GPUs). The time is that of the kernel beside the load. Values, each of one execution: "alone", "beside",
/// "slow_down" (beside / alone), "load_alone", "load_beside" (s), "load_slow_down".
Work prepare_interference(const Case& asked, BenchmarkContext& context);

}  // namespace dodona::calibrate::cuda
