// What our kernels share: elements of any type as floats, loops over the grid, and the largest of a block.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "calibrate/cuda/kernels.hpp"

namespace dodona::calibrate::cuda {

inline constexpr int kThreads = 256;

__device__ inline float value_of(float x) { return x; }
__device__ inline float value_of(__half x) { return __half2float(x); }
__device__ inline float value_of(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline float value_of(__nv_fp8_e4m3 x) { return static_cast<float>(x); }

template <typename T>
__device__ inline T element_of(float x) {
    return T(x);
}
template <>
__device__ inline __half element_of<__half>(float x) {
    return __float2half_rn(x);
}
template <>
__device__ inline __nv_bfloat16 element_of<__nv_bfloat16>(float x) {
    return __float2bfloat16_rn(x);
}

__device__ inline float block_max(float x) {
    __shared__ float warps[kThreads / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
        x = fmaxf(x, __shfl_xor_sync(0xffffffffU, x, offset));
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = x;
    }
    __syncthreads();
    float most = warps[0];
    for (float of_warp : warps) {
        most = fmaxf(most, of_warp);
    }
    return most;
}

/// Calls f(index) for every index below `count` that is this thread's, over the whole grid.
template <typename F>
__device__ inline void each_of_grid(Count count, F f) {
    for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += static_cast<Count>(gridDim.x) * blockDim.x) {
        f(i);
    }
}

/// Enough blocks to fill any GPU, few enough that each has some packs to itself.
inline unsigned blocks_for(Count items) {
    constexpr Count kMax = 16384;
    const Count blocks = (items + kThreads - 1) / kThreads;
    return static_cast<unsigned>(blocks < 1 ? 1 : blocks > kMax ? kMax : blocks);
}

/// Calls f with a null pointer of the type that the element is stored as.
template <typename F>
void with_type(Element element, F f) {
    switch (element) {
        case Element::fp32: f(static_cast<float*>(nullptr)); break;
        case Element::fp16: f(static_cast<__half*>(nullptr)); break;
        case Element::bf16: f(static_cast<__nv_bfloat16*>(nullptr)); break;
        case Element::fp8: f(static_cast<__nv_fp8_e4m3*>(nullptr)); break;
    }
}

/// Like with_type, for kernels that have no fp8.
template <typename F>
void with_real(Element element, F f) {
    switch (element) {
        case Element::fp16: f(static_cast<__half*>(nullptr)); break;
        case Element::bf16: f(static_cast<__nv_bfloat16*>(nullptr)); break;
        default: f(static_cast<float*>(nullptr)); break;
    }
}

}  // namespace dodona::calibrate::cuda
