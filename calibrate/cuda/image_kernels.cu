// Operators of images, nchw: batch norm and pools.
#include "calibrate/cuda/device_code.cuh"

namespace dodona::calibrate::cuda {

namespace {

/// Calls f(index, Elements) for the elements of channel blockIdx.x that are this block's of gridDim.y.
template <typename T, typename F>
__device__ void each_of_channel(Images of, F f) {
    with_elements<T>(of.spatial, [&](auto step) {
        const Count of_image = of.spatial / step;
        const Count all = of.images * of_image;
        for (Count i = static_cast<Count>(blockIdx.y) * blockDim.x + threadIdx.x; i < all;
             i += static_cast<Count>(gridDim.y) * blockDim.x) {
            const Count image = i / of_image;
            f((image * of.channels + blockIdx.x) * of.spatial + i % of_image * step, step);
        }
    });
}

template <typename T>
__global__ void channel_sums(const T* x, float* sums, Images of) {
    float sum = 0;
    float squares = 0;
    each_of_channel<T>(of, [&](Count at, auto count) {
        const Pack<T> pack = load(x + at, count);
        for (int j = 0; j < count; ++j) {
            const float v = value_of(pack.at[j]);
            sum += v;
            squares += v * v;
        }
    });
    sum = block_sum(sum);
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        atomicAdd(sums + blockIdx.x, sum);
        atomicAdd(sums + of.channels + blockIdx.x, squares);
    }
}

template <typename T>
__global__ void channel_norm(const T* x, const float* sums, const float* scale, const float* shift, T* y, float* mean,
                             float* rstd, Images of) {
    const float n = static_cast<float>(of.images * of.spatial);
    const float middle = sums[blockIdx.x] / n;
    const float variance = fmaxf(sums[of.channels + blockIdx.x] / n - middle * middle, 0.0F);
    const float inverse = rsqrtf(variance + kEpsilon);
    if (blockIdx.y == 0 && threadIdx.x == 0) {
        mean[blockIdx.x] = middle;
        rstd[blockIdx.x] = inverse;
    }
    const float factor = inverse * scale[blockIdx.x];
    const float offset = shift[blockIdx.x] - middle * factor;
    each_of_channel<T>(of, [&](Count at, auto count) {
        Pack<T> pack = load(x + at, count);
        for (int j = 0; j < count; ++j) {
            pack.at[j] = element_of<T>(value_of(pack.at[j]) * factor + offset);
        }
        store(y + at, pack, count);
    });
}

template <typename T>
__global__ void channel_gradients(const T* x, const T* dy, const float* mean, const float* rstd, float* dscale,
                                  float* dshift, Images of) {
    const float middle = mean[blockIdx.x];
    const float inverse = rstd[blockIdx.x];
    float scale = 0;
    float shift = 0;
    each_of_channel<T>(of, [&](Count at, auto count) {
        const Pack<T> xs = load(x + at, count);
        const Pack<T> ds = load(dy + at, count);
        for (int j = 0; j < count; ++j) {
            const float g = value_of(ds.at[j]);
            shift += g;
            scale += g * (value_of(xs.at[j]) - middle) * inverse;
        }
    });
    scale = block_sum(scale);
    shift = block_sum(shift);
    if (threadIdx.x == 0) {
        atomicAdd(dscale + blockIdx.x, scale);
        atomicAdd(dshift + blockIdx.x, shift);
    }
}

template <typename T>
__global__ void channel_norm_backward(const T* x, const T* dy, const float* scale, const float* mean, const float* rstd,
                                      const float* dscale, const float* dshift, T* dx, Images of) {
    const float n = static_cast<float>(of.images * of.spatial);
    const float middle = mean[blockIdx.x];
    const float inverse = rstd[blockIdx.x];
    const float mean_g = dshift[blockIdx.x] / n;
    const float mean_gx = dscale[blockIdx.x] / n;
    const float factor = scale[blockIdx.x] * inverse;
    each_of_channel<T>(of, [&](Count at, auto count) {
        Pack<T> xs = load(x + at, count);
        const Pack<T> ds = load(dy + at, count);
        for (int j = 0; j < count; ++j) {
            const float normal = (value_of(xs.at[j]) - middle) * inverse;
            xs.at[j] = element_of<T>(factor * (value_of(ds.at[j]) - mean_g - normal * mean_gx));
        }
        store(dx + at, xs, count);
    });
}

template <typename T>
__global__ void pool(const T* x, T* y, std::int32_t* which, Window of) {
    const Count out = static_cast<Count>(of.out_height) * of.out_width;
    each_of_grid(of.planes * out, [&](Count i) {
        const Count plane = i / out;
        const int row = static_cast<int>(i % out / of.out_width) * of.stride - of.pad;
        const int column = static_cast<int>(i % of.out_width) * of.stride - of.pad;
        float most = -INFINITY;
        std::int32_t at = 0;
        for (int r = max(row, 0); r < min(row + of.rows, of.height); ++r) {
            for (int c = max(column, 0); c < min(column + of.columns, of.width); ++c) {
                const float v = value_of(x[(plane * of.height + r) * of.width + c]);
                if (v > most) {
                    most = v;
                    at = r * of.width + c;
                }
            }
        }
        y[i] = element_of<T>(most);
        which[i] = at;
    });
}

template <typename T>
__global__ void pool_backward(const T* dy, const std::int32_t* which, float* dx, Window of) {
    const Count out = static_cast<Count>(of.out_height) * of.out_width;
    each_of_grid(of.planes * out,
                 [&](Count i) { atomicAdd(dx + i / out * of.height * of.width + which[i], value_of(dy[i])); });
}

template <typename T>
__global__ void mean_pool(const T* x, T* y, Window of) {
    const Count out = static_cast<Count>(of.out_height) * of.out_width;
    each_of_grid(of.planes * out, [&](Count i) {
        const Count plane = i / out;
        const int row = static_cast<int>(i % out / of.out_width) * of.stride - of.pad;
        const int column = static_cast<int>(i % of.out_width) * of.stride - of.pad;
        float sum = 0;
        for (int r = max(row, 0); r < min(row + of.rows, of.height); ++r) {
            for (int c = max(column, 0); c < min(column + of.columns, of.width); ++c) {
                sum += value_of(x[(plane * of.height + r) * of.width + c]);
            }
        }
        y[i] = element_of<T>(sum / static_cast<float>(of.rows * of.columns));
    });
}

/// An element of the input gathers from the windows that it lies in.
template <typename T>
__global__ void mean_pool_backward(const T* dy, T* dx, Window of) {
    const Count in = static_cast<Count>(of.height) * of.width;
    each_of_grid(of.planes * in, [&](Count i) {
        const Count plane = i / in;
        const int r = static_cast<int>(i % in / of.width) + of.pad;
        const int c = static_cast<int>(i % of.width) + of.pad;
        float sum = 0;
        for (int p = max(0, (r - of.rows) / of.stride); p <= min(r / of.stride, of.out_height - 1); ++p) {
            for (int q = max(0, (c - of.columns) / of.stride); q <= min(c / of.stride, of.out_width - 1); ++q) {
                const bool inside = r - p * of.stride < of.rows && c - q * of.stride < of.columns;
                sum += inside ? value_of(dy[(plane * of.out_height + p) * of.out_width + q]) : 0.0F;
            }
        }
        dx[i] = element_of<T>(sum / static_cast<float>(of.rows * of.columns));
    });
}

/// Blocks a channel so that channels times these fill a GPU of a few thousand blocks.
dim3 channel_grid(Images of) {
    const Count each = (of.images * of.spatial + kThreads * 8 - 1) / (kThreads * 8);
    const Count wanted = (2048 + of.channels - 1) / of.channels;
    const Count split = each < wanted ? each : wanted;
    return dim3(static_cast<unsigned>(of.channels), static_cast<unsigned>(split < 1 ? 1 : split));
}

}  // namespace

void batch_norm(Element element, const void* x, const float* scale, const float* shift, void* y, float* sums,
                float* mean, float* rstd, Images of, cudaStream_t stream) {
    (void)cudaMemsetAsync(sums, 0, static_cast<std::size_t>(2 * of.channels) * sizeof(float), stream);
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        channel_sums<<<channel_grid(of), kThreads, 0, stream>>>(static_cast<const T*>(x), sums, of);
        channel_norm<<<channel_grid(of), kThreads, 0, stream>>>(static_cast<const T*>(x), sums, scale, shift,
                                                                static_cast<T*>(y), mean, rstd, of);
    });
}

void batch_norm_backward(Element element, const void* x, const void* dy, const float* scale, const float* mean,
                         const float* rstd, float* dscale, float* dshift, void* dx, Images of, cudaStream_t stream) {
    (void)cudaMemsetAsync(dscale, 0, static_cast<std::size_t>(of.channels) * sizeof(float), stream);
    (void)cudaMemsetAsync(dshift, 0, static_cast<std::size_t>(of.channels) * sizeof(float), stream);
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        channel_gradients<<<channel_grid(of), kThreads, 0, stream>>>(
            static_cast<const T*>(x), static_cast<const T*>(dy), mean, rstd, dscale, dshift, of);
        channel_norm_backward<<<channel_grid(of), kThreads, 0, stream>>>(static_cast<const T*>(x),
                                                                         static_cast<const T*>(dy), scale, mean, rstd,
                                                                         dscale, dshift, static_cast<T*>(dx), of);
    });
}

void max_pool(Element element, const void* x, void* y, std::int32_t* which, Window of, cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        pool<<<blocks_for(of.planes * of.out_height * of.out_width), kThreads, 0, stream>>>(
            static_cast<const T*>(x), static_cast<T*>(y), which, of);
    });
}

void max_pool_backward(Element element, const void* dy, const std::int32_t* which, float* dx, Window of,
                       cudaStream_t stream) {
    (void)cudaMemsetAsync(dx, 0, static_cast<std::size_t>(of.planes * of.height * of.width) * sizeof(float), stream);
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        pool_backward<<<blocks_for(of.planes * of.out_height * of.out_width), kThreads, 0, stream>>>(
            static_cast<const T*>(dy), which, dx, of);
    });
}

void average_pool(Element element, const void* x, void* y, Window of, cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        mean_pool<<<blocks_for(of.planes * of.out_height * of.out_width), kThreads, 0, stream>>>(
            static_cast<const T*>(x), static_cast<T*>(y), of);
    });
}

void average_pool_backward(Element element, const void* dy, void* dx, Window of, cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        mean_pool_backward<<<blocks_for(of.planes * of.height * of.width), kThreads, 0, stream>>>(
            static_cast<const T*>(dy), static_cast<T*>(dx), of);
    });
}

}  // namespace dodona::calibrate::cuda
