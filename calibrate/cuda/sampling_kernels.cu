// Data, what stands around a sample, and the kernels of `stream`.
#include "calibrate/cuda/device_code.cuh"

namespace dodona::calibrate::cuda {

namespace {

/// A bijection of 64 bits whose outputs look random. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014, figure 16 (SplitMix64).
__device__ std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// Box and Muller, 1958: two uniform numbers, one of the two normal ones.
__device__ float normal(std::uint64_t bits) {
    const float u = (static_cast<float>(bits >> 40) + 1.0F) * 0x1p-24F;  // (0, 1]
    const float v = static_cast<float>(bits & 0xffffffU) * 0x1p-24F;
    return sqrtf(-2.0F * logf(u)) * cospif(2.0F * v);
}

template <typename T>
__global__ void fill(T* to, Count elements, float scale, std::uint64_t seed) {
    each_of_grid(elements, [&](Count i) {
        to[i] = element_of<T>(scale * normal(mixed(seed ^ mixed(static_cast<std::uint64_t>(i)))));
    });
}

__global__ void fill_int(std::int32_t* to, Count elements, std::int32_t below, std::uint64_t seed) {
    each_of_grid(elements, [&](Count i) {
        to[i] = static_cast<std::int32_t>(mixed(seed ^ mixed(static_cast<std::uint64_t>(i))) %
                                          static_cast<std::uint64_t>(below));
    });
}

template <typename T>
__global__ void widen(const T* from, Count elements, float* to) {
    each_of_grid(elements, [&](Count i) { to[i] = value_of(from[i]); });
}

__device__ std::uint64_t now() {
    std::uint64_t nanoseconds = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    return nanoseconds;
}

__global__ void hold(const volatile std::int32_t* flag, std::int32_t* late, std::uint64_t most) {
    const std::uint64_t begin = now();
    while (*flag == 0) {
        if (now() - begin > most) {
            *late = 1;
            __threadfence_system();
            return;
        }
    }
}

__global__ void probe(std::uint64_t* out, std::uint64_t length) {
    const std::uint64_t begin = now();
    const long long first = clock64();
    std::uint64_t end = begin;
    while (end - begin < length) {
        end = now();
    }
    out[0] = static_cast<std::uint64_t>(clock64() - first);
    out[1] = end - begin;
}

__global__ void nothing() {}

__global__ void read(const float4* a, Count packs, float* sink) {
    float sum = 0;
    each_of_grid(packs, [&](Count i) {
        const float4 x = a[i];
        sum += x.x + x.y + x.z + x.w;
    });
    if (sum == 0x1.123456p100F) {  // never: keeps the loads
        *sink = sum;
    }
}

__global__ void write(float4* a, Count packs, float value) {
    each_of_grid(packs, [&](Count i) { a[i] = make_float4(value, value, value, value); });
}

__global__ void copy(const float4* a, float4* b, Count packs) {
    each_of_grid(packs, [&](Count i) { b[i] = a[i]; });
}

__global__ void triad(const float4* a, const float4* b, float4* c, float factor, Count packs) {
    each_of_grid(packs, [&](Count i) {
        const float4 x = a[i];
        const float4 y = b[i];
        c[i] = make_float4(x.x + factor * y.x, x.y + factor * y.y, x.z + factor * y.z, x.w + factor * y.w);
    });
}

}  // namespace

void fill_normal(void* to, Element element, Count elements, float scale, std::uint64_t seed, cudaStream_t stream) {
    with_type(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        fill<<<blocks_for(elements), kThreads, 0, stream>>>(static_cast<T*>(to), elements, scale, seed);
    });
}

void fill_indices(std::int32_t* to, Count elements, std::int32_t below, std::uint64_t seed, cudaStream_t stream) {
    fill_int<<<blocks_for(elements), kThreads, 0, stream>>>(to, elements, below, seed);
}

void to_float(const void* from, Element element, Count elements, float* to, cudaStream_t stream) {
    with_type(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        widen<<<blocks_for(elements), kThreads, 0, stream>>>(static_cast<const T*>(from), elements, to);
    });
}

void hold_queue(const volatile std::int32_t* flag, std::int32_t* late, std::uint64_t most, cudaStream_t stream) {
    hold<<<1, 1, 0, stream>>>(flag, late, most);
}

void probe_clock(std::uint64_t* out, std::uint64_t length, cudaStream_t stream) {
    probe<<<1, 1, 0, stream>>>(out, length);
}

void empty_kernel(cudaStream_t stream) { nothing<<<1, 1, 0, stream>>>(); }

void stream_read(const float* a, Count elements, float* sink, cudaStream_t stream) {
    read<<<blocks_for(elements / 4), kThreads, 0, stream>>>(reinterpret_cast<const float4*>(a), elements / 4, sink);
}

void stream_write(float* a, Count elements, float value, cudaStream_t stream) {
    write<<<blocks_for(elements / 4), kThreads, 0, stream>>>(reinterpret_cast<float4*>(a), elements / 4, value);
}

void stream_copy(const float* a, float* b, Count elements, cudaStream_t stream) {
    copy<<<blocks_for(elements / 4), kThreads, 0, stream>>>(reinterpret_cast<const float4*>(a),
                                                            reinterpret_cast<float4*>(b), elements / 4);
}

void stream_triad(const float* a, const float* b, float* c, float factor, Count elements, cudaStream_t stream) {
    triad<<<blocks_for(elements / 4), kThreads, 0, stream>>>(reinterpret_cast<const float4*>(a),
                                                             reinterpret_cast<const float4*>(b),
                                                             reinterpret_cast<float4*>(c), factor, elements / 4);
}

}  // namespace dodona::calibrate::cuda
