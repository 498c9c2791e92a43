// Benchmarks of NCCL: collectives and messages among the GPUs of one host, all in this process.
#pragma once

#include "calibrate/cuda/benchmark_context.hpp"

namespace dodona::calibrate::cuda {

Work prepare_collective(const Case& asked, BenchmarkContext& context);
Work prepare_send(const Case& asked, BenchmarkContext& context);

/// As NCCL packs it (versions.hpp); zero where this was built without.
std::size_t nccl_version();

}  // namespace dodona::calibrate::cuda
