// What our kernels share: loading and storing 16 bytes of any element as floats, and sums over a block.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "calibrate/cuda/kernels.hpp"

namespace dodona::calibrate::cuda {

inline constexpr int kThreads = 256;

template <typename T>
struct alignas(16) Pack {
    static constexpr int count = 16 / sizeof(T);
    T at[count];
};

/// How many elements a thread takes at once: those of a pack, or one. Known when the kernel is compiled: a pack that is
/// indexed by a number known only later lies in memory instead of registers, and such kernels run at half their speed.
template <int N>
struct Elements {
    static constexpr int value = N;
    __host__ __device__ constexpr operator int() const { return N; }
};

template <typename T, int N>
__device__ inline Pack<T> load(const T* from, Elements<N> /*count*/) {
    Pack<T> pack;
    if constexpr (N == Pack<T>::count) {
        pack = *reinterpret_cast<const Pack<T>*>(from);
    } else {
        pack.at[0] = from[0];
    }
    return pack;
}

template <typename T, int N>
__device__ inline void store(T* to, const Pack<T>& pack, Elements<N> /*count*/) {
    if constexpr (N == Pack<T>::count) {
        *reinterpret_cast<Pack<T>*>(to) = pack;
    } else {
        to[0] = pack.at[0];
    }
}

/// Calls f with Elements of a pack of T where `elements` divide into packs, else of one.
#pragma nv_exec_check_disable
template <typename T, typename F>
__host__ __device__ void with_elements(Count elements, F f) {
    if (elements % Pack<T>::count == 0) {
        f(Elements<Pack<T>::count>{});
    } else {
        f(Elements<1>{});
    }
}

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

/// The sum over all threads of the block, for all of them. The block is kThreads wide.
__device__ inline float block_sum(float x) {
    __shared__ float warps[kThreads / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
        x += __shfl_xor_sync(0xffffffffU, x, offset);
    }
    __syncthreads();  // whoever still reads the sum before this one
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = x;
    }
    __syncthreads();
    float sum = 0;
    for (float of_warp : warps) {
        sum += of_warp;
    }
    return sum;
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
