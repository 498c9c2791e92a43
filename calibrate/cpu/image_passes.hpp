// Batch-norm and pooling of plain images (images, channels, rows, columns), as PyTorch's native kernels run them.
//
// Source: PyTorch 1.13, aten/src/ATen/native/cpu/batch_norm_kernel.cpp (statistics of each channel in double, one
// number after the other; backward in vectors) and MaxPoolKernel.cpp (one result at a time, with its index).
#pragma once

#include <cstdint>

#include "calibrate/cpu/passes.hpp"

namespace dodona::calibrate::cpu {

struct ChannelStatistics {
    float* mean;
    float* deviation;  ///< 1 / sqrt(variance + epsilon)
};

/// Of `plane` elements each; `channels` is a part of `all` channels.
void batch_norm_statistics(Range channels, std::int64_t all, std::int64_t images, std::int64_t plane, const float* x,
                           ChannelStatistics to);
void batch_norm_planes(Range planes, std::int64_t channels, std::int64_t plane, const float* x,
                       const ChannelStatistics& statistics, float* y);
void batch_norm_backward(Range channels, std::int64_t all, std::int64_t images, std::int64_t plane, const float* x,
                         const float* dy, const ChannelStatistics& statistics, float* dx);

struct Pooling {
    std::int64_t rows, columns;  ///< of the input
    std::int64_t result_rows, result_columns;
    std::int64_t window_rows, window_columns;
    std::int64_t stride_rows, stride_columns;
    std::int64_t pad_rows, pad_columns;
};

void max_pool_planes(Range planes, const Pooling& pooling, const float* x, float* y, std::int64_t* index);
void max_pool_backward_planes(Range planes, const Pooling& pooling, const float* dy, const std::int64_t* index,
                              float* dx);
void average_pool_planes(Range planes, const Pooling& pooling, const float* x, float* y);
void average_pool_backward_planes(Range planes, const Pooling& pooling, const float* dy, float* dx);

}  // namespace dodona::calibrate::cpu
