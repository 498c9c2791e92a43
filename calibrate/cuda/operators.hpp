// Benchmark operator: activations, norms, softmax and pooling, all by own kernels.
#pragma once

#include "calibrate/cuda/benchmark_context.hpp"

namespace dodona::calibrate::cuda {

Work prepare_operator(const Case& asked, BenchmarkContext& context);
/// batch-norm, max-pool and average-pool, of images. Its direction is forward or backward-input.
Work prepare_image_operator(const Case& asked, BenchmarkContext& context);

}  // namespace dodona::calibrate::cuda
