// Benchmarks that move bytes: stream, gather, copy, launch.
#pragma once

#include "calibrate/cuda/benchmark_context.hpp"

namespace dodona::calibrate::cuda {

Work prepare_stream(const Case& asked, BenchmarkContext& context);
Work prepare_gather(const Case& asked, BenchmarkContext& context);
Work prepare_copy(const Case& asked, BenchmarkContext& context);
Work prepare_launch(const Case& asked, BenchmarkContext& context);

}  // namespace dodona::calibrate::cuda
