// Activations, norms of rows, softmax.
#include "calibrate/cuda/device_code.cuh"

namespace dodona::calibrate::cuda {

namespace {

/// Calls f(index, Elements) for packs of 16 bytes where `columns` is a multiple of a pack, else one element at a time.
template <typename T, typename F>
__device__ void each_of_row(Count columns, F f) {
    with_elements<T>(columns, [&](auto step) {
        for (Count c = threadIdx.x * step; c < columns; c += blockDim.x * step) {
            f(c, step);
        }
    });
}

template <Activation kind>
__device__ float activated(float x) {
    if constexpr (kind == Activation::relu) {
        return fmaxf(x, 0.0F);
    } else if constexpr (kind == Activation::gelu) {
        return 0.5F * x * (1.0F + erff(x * 0.70710678F));
    } else if constexpr (kind == Activation::silu) {
        return x / (1.0F + __expf(-x));
    } else if constexpr (kind == Activation::sigmoid) {
        return 1.0F / (1.0F + __expf(-x));
    } else {
        return tanhf(x);
    }
}

template <Activation kind>
__device__ float slope(float x) {
    if constexpr (kind == Activation::relu) {
        return x > 0 ? 1.0F : 0.0F;
    } else if constexpr (kind == Activation::gelu) {
        return 0.5F * (1.0F + erff(x * 0.70710678F)) + x * 0.39894228F * __expf(-0.5F * x * x);
    } else if constexpr (kind == Activation::silu) {
        const float s = 1.0F / (1.0F + __expf(-x));
        return s * (1.0F + x * (1.0F - s));
    } else {
        const float y = activated<kind>(x);
        return kind == Activation::sigmoid ? y * (1.0F - y) : 1.0F - y * y;
    }
}

/// `steps` of N elements each: packs, or single elements where there is a rest.
template <Activation kind, int N, typename T>
__global__ void activation(const T* x, T* y, Count steps) {
    constexpr Elements<N> count;
    each_of_grid(steps, [&](Count i) {
        Pack<T> pack = load(x + i * count, count);
        for (int j = 0; j < count; ++j) {
            pack.at[j] = element_of<T>(activated<kind>(value_of(pack.at[j])));
        }
        store(y + i * count, pack, count);
    });
}

template <Activation kind, int N, typename T>
__global__ void activation_backward(const T* x, const T* dy, T* dx, Count steps) {
    constexpr Elements<N> count;
    each_of_grid(steps, [&](Count i) {
        Pack<T> pack = load(x + i * count, count);
        const Pack<T> gradient = load(dy + i * count, count);
        for (int j = 0; j < count; ++j) {
            pack.at[j] = element_of<T>(slope<kind>(value_of(pack.at[j])) * value_of(gradient.at[j]));
        }
        store(dx + i * count, pack, count);
    });
}

/// Calls f with a constant of the activation.
template <typename F>
void with_activation(Activation kind, F f) {
    switch (kind) {
        case Activation::relu: f(std::integral_constant<Activation, Activation::relu>{}); break;
        case Activation::gelu: f(std::integral_constant<Activation, Activation::gelu>{}); break;
        case Activation::silu: f(std::integral_constant<Activation, Activation::silu>{}); break;
        case Activation::sigmoid: f(std::integral_constant<Activation, Activation::sigmoid>{}); break;
        case Activation::tanh: f(std::integral_constant<Activation, Activation::tanh>{}); break;
    }
}

template <typename T>
__global__ void norm(RowNorm kind, const T* x, const float* scale, const float* shift, T* y, float* mean, float* rstd,
                     Count columns) {
    const T* row = x + blockIdx.x * columns;
    float sum = 0;
    float squares = 0;
    each_of_row<T>(columns, [&](Count c, auto count) {
        const Pack<T> pack = load(row + c, count);
        for (int j = 0; j < count; ++j) {
            const float v = value_of(pack.at[j]);
            sum += v;
            squares += v * v;
        }
    });
    const float n = static_cast<float>(columns);
    const float middle = kind == RowNorm::layer ? block_sum(sum) / n : 0.0F;
    const float inverse = rsqrtf(fmaxf(block_sum(squares) / n - middle * middle, 0.0F) + kEpsilon);
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = middle;
        rstd[blockIdx.x] = inverse;
    }
    each_of_row<T>(columns, [&](Count c, auto count) {
        Pack<T> pack = load(row + c, count);
        for (int j = 0; j < count; ++j) {
            const float normal = (value_of(pack.at[j]) - middle) * inverse;
            pack.at[j] = element_of<T>(normal * scale[c + j] + (kind == RowNorm::layer ? shift[c + j] : 0.0F));
        }
        store(y + blockIdx.x * columns + c, pack, count);
    });
}

/// dx = rstd (g - mean(g) - xhat mean(g xhat)), g = dy scale; without mean(g) for rms.
template <typename T>
__global__ void norm_backward(RowNorm kind, const T* x, const T* dy, const float* scale, const float* mean,
                              const float* rstd, T* dx, Count columns) {
    const Count begin = blockIdx.x * columns;
    const float middle = mean[blockIdx.x];
    const float inverse = rstd[blockIdx.x];
    float of_g = 0;
    float of_gx = 0;
    each_of_row<T>(columns, [&](Count c, auto count) {
        const Pack<T> xs = load(x + begin + c, count);
        const Pack<T> ds = load(dy + begin + c, count);
        for (int j = 0; j < count; ++j) {
            const float g = value_of(ds.at[j]) * scale[c + j];
            of_g += g;
            of_gx += g * (value_of(xs.at[j]) - middle) * inverse;
        }
    });
    const float n = static_cast<float>(columns);
    const float mean_g = kind == RowNorm::layer ? block_sum(of_g) / n : 0.0F;
    const float mean_gx = block_sum(of_gx) / n;
    each_of_row<T>(columns, [&](Count c, auto count) {
        Pack<T> xs = load(x + begin + c, count);
        const Pack<T> ds = load(dy + begin + c, count);
        for (int j = 0; j < count; ++j) {
            const float normal = (value_of(xs.at[j]) - middle) * inverse;
            const float g = value_of(ds.at[j]) * scale[c + j];
            xs.at[j] = element_of<T>(inverse * (g - mean_g - normal * mean_gx));
        }
        store(dx + begin + c, xs, count);
    });
}

/// A thread has one column and every gridDim.y-th row of it.
template <typename T>
__global__ void norm_backward_weight(RowNorm kind, const T* x, const T* dy, const float* mean, const float* rstd,
                                     float* dscale, float* dshift, Count rows, Count columns) {
    const Count c = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (c >= columns) {
        return;
    }
    float scale = 0;
    float shift = 0;
    for (Count r = blockIdx.y; r < rows; r += gridDim.y) {
        const float g = value_of(dy[r * columns + c]);
        scale += g * (value_of(x[r * columns + c]) - mean[r]) * rstd[r];
        shift += g;
    }
    atomicAdd(dscale + c, scale);
    if (kind == RowNorm::layer) {
        atomicAdd(dshift + c, shift);
    }
}

template <typename T>
__global__ void softmax_rows(const T* x, T* y, Count columns) {
    const T* row = x + blockIdx.x * columns;
    float most = -INFINITY;
    each_of_row<T>(columns, [&](Count c, auto count) {
        const Pack<T> pack = load(row + c, count);
        for (int j = 0; j < count; ++j) {
            most = fmaxf(most, value_of(pack.at[j]));
        }
    });
    most = block_max(most);
    float sum = 0;
    each_of_row<T>(columns, [&](Count c, auto count) {
        const Pack<T> pack = load(row + c, count);
        for (int j = 0; j < count; ++j) {
            sum += __expf(value_of(pack.at[j]) - most);
        }
    });
    const float share = 1.0F / block_sum(sum);
    each_of_row<T>(columns, [&](Count c, auto count) {
        Pack<T> pack = load(row + c, count);
        for (int j = 0; j < count; ++j) {
            pack.at[j] = element_of<T>(__expf(value_of(pack.at[j]) - most) * share);
        }
        store(y + blockIdx.x * columns + c, pack, count);
    });
}

/// dx = y (dy - sum(y dy))
template <typename T>
__global__ void softmax_rows_backward(const T* y, const T* dy, T* dx, Count columns) {
    const Count begin = blockIdx.x * columns;
    float sum = 0;
    each_of_row<T>(columns, [&](Count c, auto count) {
        const Pack<T> ys = load(y + begin + c, count);
        const Pack<T> ds = load(dy + begin + c, count);
        for (int j = 0; j < count; ++j) {
            sum += value_of(ys.at[j]) * value_of(ds.at[j]);
        }
    });
    sum = block_sum(sum);
    each_of_row<T>(columns, [&](Count c, auto count) {
        Pack<T> ys = load(y + begin + c, count);
        const Pack<T> ds = load(dy + begin + c, count);
        for (int j = 0; j < count; ++j) {
            ys.at[j] = element_of<T>(value_of(ys.at[j]) * (value_of(ds.at[j]) - sum));
        }
        store(dx + begin + c, ys, count);
    });
}

}  // namespace

void activate(Activation kind, Element element, const void* x, void* y, Count elements, cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        with_activation(kind, [&](auto constant) {
            with_elements<T>(elements, [&](auto count) {
                activation<decltype(constant)::value, decltype(count)::value>
                    <<<blocks_for(elements / count), kThreads, 0, stream>>>(static_cast<const T*>(x),
                                                                            static_cast<T*>(y), elements / count);
            });
        });
    });
}

void activate_backward(Activation kind, Element element, const void* x, const void* dy, void* dx, Count elements,
                       cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        with_activation(kind, [&](auto constant) {
            with_elements<T>(elements, [&](auto count) {
                activation_backward<decltype(constant)::value, decltype(count)::value>
                    <<<blocks_for(elements / count), kThreads, 0, stream>>>(
                        static_cast<const T*>(x), static_cast<const T*>(dy), static_cast<T*>(dx), elements / count);
            });
        });
    });
}

void row_norm(RowNorm kind, Element element, const void* x, const float* scale, const float* shift, void* y,
              float* mean, float* rstd, Count rows, Count columns, cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        norm<<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(kind, static_cast<const T*>(x), scale, shift,
                                                                   static_cast<T*>(y), mean, rstd, columns);
    });
}

void row_norm_backward_input(RowNorm kind, Element element, const void* x, const void* dy, const float* scale,
                             const float* mean, const float* rstd, void* dx, Count rows, Count columns,
                             cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        norm_backward<<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(
            kind, static_cast<const T*>(x), static_cast<const T*>(dy), scale, mean, rstd, static_cast<T*>(dx), columns);
    });
}

void row_norm_backward_weight(RowNorm kind, Element element, const void* x, const void* dy, const float* mean,
                              const float* rstd, float* dscale, float* dshift, Count rows, Count columns,
                              cudaStream_t stream) {
    (void)cudaMemsetAsync(dscale, 0, static_cast<std::size_t>(columns) * sizeof(float), stream);
    (void)cudaMemsetAsync(dshift, 0, static_cast<std::size_t>(columns) * sizeof(float), stream);
    const auto across = static_cast<unsigned>((columns + kThreads - 1) / kThreads);
    const Count most = 2048 / across < 1 ? 1 : 2048 / across;
    const dim3 grid(across, static_cast<unsigned>(rows < most ? rows : most));
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        norm_backward_weight<<<grid, kThreads, 0, stream>>>(kind, static_cast<const T*>(x), static_cast<const T*>(dy),
                                                            mean, rstd, dscale, dshift, rows, columns);
    });
}

void softmax(Element element, const void* x, void* y, Count rows, Count columns, cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        softmax_rows<<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(static_cast<const T*>(x), static_cast<T*>(y),
                                                                           columns);
    });
}

void softmax_backward(Element element, const void* y, const void* dy, void* dx, Count rows, Count columns,
                      cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        softmax_rows_backward<<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(
            static_cast<const T*>(y), static_cast<const T*>(dy), static_cast<T*>(dx), columns);
    });
}

}  // namespace dodona::calibrate::cuda
