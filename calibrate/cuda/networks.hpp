// Benchmarks of cuDNN: convolution and attention. Built without cuDNN they say so.
#pragma once

#include "calibrate/cuda/benchmark_context.hpp"

namespace dodona::calibrate::cuda {

Work prepare_convolution(const Case& asked, BenchmarkContext& context);
Work prepare_attention(const Case& asked, BenchmarkContext& context);

/// As cuDNN packs it (versions.hpp); zero where this was built without.
std::size_t cudnn_version();

}  // namespace dodona::calibrate::cuda
