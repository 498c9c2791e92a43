// Benchmark compression: what compresses a buffer that is exchanged, and what takes apart as much as that sends.
#pragma once

#include "calibrate/cuda/benchmark_context.hpp"

namespace dodona::calibrate::cuda {

Work prepare_compression(const Case& asked, BenchmarkContext& context);

}  // namespace dodona::calibrate::cuda
