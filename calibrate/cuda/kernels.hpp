// Functions that launch our own kernels. All are asynchronous on the stream; none checks its arguments.
//
// They cover operations that no library has outside a framework, all of them memory-bound. Each reads and writes 16
// bytes at a time where the addresses allow it.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "calibrate/compression/quantisation.hpp"
#include "calibrate/cuda/element.hpp"

namespace dodona::calibrate::cuda {

using Count = std::int64_t;

// ---- data
/// Normal, mean 0, standard deviation `scale`; the same seed, the same numbers.
void fill_normal(void* to, Element, Count elements, float scale, std::uint64_t seed, cudaStream_t);
/// Uniform in [0, below).
void fill_indices(std::int32_t* to, Count elements, std::int32_t below, std::uint64_t seed, cudaStream_t);
void to_float(const void* from, Element, Count elements, float* to, cudaStream_t);

// ---- around a sample
/// How long a queue is held at most, in ns: an interrupted host costs a sample, never the run.
inline constexpr std::uint64_t kLongestHold = 1'000'000'000;

/// Does nothing until *flag is not zero (it lies in mapped host memory) or `most` nanoseconds have passed; then writes
/// 1 to *late.
void hold_queue(const volatile std::int32_t* flag, std::int32_t* late, std::uint64_t most, cudaStream_t);
/// Runs for `length` nanoseconds and writes {cycles, nanoseconds} of one multiprocessor to out.
void probe_clock(std::uint64_t* out, std::uint64_t length, cudaStream_t);
void empty_kernel(cudaStream_t);

// ---- stream: `elements` fp32 of each array; multiples of 4
void stream_read(const float* a, Count elements, float* sink, cudaStream_t);
void stream_write(float* a, Count elements, float value, cudaStream_t);
void stream_copy(const float* a, float* b, Count elements, cudaStream_t);
void stream_triad(const float* a, const float* b, float* c, float factor, Count elements, cudaStream_t);

// ---- elementwise: y = f(x); dx = f'(x) dy
enum class Activation { relu, gelu, silu, sigmoid, tanh };  ///< gelu: the exact one, with erf
void activate(Activation, Element, const void* x, void* y, Count elements, cudaStream_t);
void activate_backward(Activation, Element, const void* x, const void* dy, void* dx, Count elements, cudaStream_t);

// ---- rows: x[rows, columns]; `scale` and `shift` have fp32 columns; mean and rstd fp32 rows
enum class RowNorm { layer, rms };
inline constexpr float kEpsilon = 1e-5F;
void row_norm(RowNorm, Element, const void* x, const float* scale, const float* shift, void* y, float* mean,
              float* rstd, Count rows, Count columns, cudaStream_t);
void row_norm_backward_input(RowNorm, Element, const void* x, const void* dy, const float* scale, const float* mean,
                             const float* rstd, void* dx, Count rows, Count columns, cudaStream_t);
/// Sets the gradients to zero first.
void row_norm_backward_weight(RowNorm, Element, const void* x, const void* dy, const float* mean, const float* rstd,
                              float* dscale, float* dshift, Count rows, Count columns, cudaStream_t);
void softmax(Element, const void* x, void* y, Count rows, Count columns, cudaStream_t);
void softmax_backward(Element, const void* y, const void* dy, void* dx, Count rows, Count columns, cudaStream_t);

// ---- images, nchw
struct Images {
    Count images, channels, spatial;  ///< spatial: height times width
};
/// Training: the batch's own statistics. `sums` is scratch of 2 channels fp32.
void batch_norm(Element, const void* x, const float* scale, const float* shift, void* y, float* sums, float* mean,
                float* rstd, Images, cudaStream_t);
/// The gradients of scale and shift come with that of the input, as frameworks compute them.
void batch_norm_backward(Element, const void* x, const void* dy, const float* scale, const float* mean,
                         const float* rstd, float* dscale, float* dshift, void* dx, Images, cudaStream_t);
struct Window {
    Count planes;       ///< images times channels
    int height, width;  ///< of the input
    int out_height, out_width;
    int rows, columns;  ///< of the window
    int stride, pad;
};
void max_pool(Element, const void* x, void* y, std::int32_t* which, Window, cudaStream_t);
/// A gradient of the input in fp32, set to zero first: windows overlap, and their sums are added atomically.
void max_pool_backward(Element, const void* dy, const std::int32_t* which, float* dx, Window, cudaStream_t);

/// Places in the padding count, as frameworks count them by default.
void average_pool(Element, const void* x, void* y, Window, cudaStream_t);
void average_pool_backward(Element, const void* dy, void* dx, Window, cudaStream_t);

// ---- tables, optimizers, layouts, recurrent cells
void gather(Element, const void* table, const std::int32_t* rows, void* out, Count lookups, Count columns,
            cudaStream_t);
/// table[rows[i]] += values[i]; fp32 tables add fp32, the others pairs of 16 bits. An even number of columns.
void scatter_add(Element, const void* values, const std::int32_t* rows, void* table, Count lookups, Count columns,
                 cudaStream_t);
void sgd_step(Element weight, void* weights, float* master, const float* gradient, float rate, Count elements,
              cudaStream_t);
struct AdamFactors {
    float rate, beta1, beta2, epsilon, correction1, correction2;  ///< corrections: 1 - beta^step
};
void adam_step(Element weight, void* weights, float* master, float* first, float* second, const float* gradient,
               AdamFactors, Count elements, cudaStream_t);
/// out[c, r] = in[r, c] of 1-, 2- or 4-byte elements.
void transpose(const void* in, void* out, std::size_t width, Count rows, Count columns, cudaStream_t);
/// gates[samples, 4 or 3 or 1 times units] -> state[samples, units] (and memory[samples, units] fp32 of four gates).
void gate_units(Element, const void* gates, float* memory, void* state, int gates_per_unit, Count samples, Count units,
                cudaStream_t);
/// The gradient of the gates from that of the state.
void gate_units_backward(Element, const void* gates, const float* memory, const void* dstate, void* dgates,
                         int gates_per_unit, Count samples, Count units, cudaStream_t);

// ---- compression of fp32 values, with the results that calibrate/compression has on the host
/// Domain: a `block` of a multiple of 8; `packed` has packed_bytes().
void quantise_blocks(CodeFormat, const float* values, Count elements, Count block, std::uint8_t* packed, cudaStream_t);
void dequantise_blocks(CodeFormat, const std::uint8_t* packed, Count elements, Count block, float* values,
                       cudaStream_t);
struct SelectedElements {
    std::uint32_t* indices;  ///< ascending
    float* values;
};
/// What a selection needs beside its values.
std::size_t selection_bytes(Count elements);
/// The k largest magnitudes. Domain: 1 <= k <= elements < 2^32; no NaN.
void select_exactly(const float* values, Count elements, Count k, void* scratch, SelectedElements, cudaStream_t);
void select_by_threshold(const float* values, Count elements, Count k, int passes, void* scratch, SelectedElements,
                         cudaStream_t);
/// sum[indices[i]] += values[i].
void add_selected(SelectedElements, Count k, float* sum, cudaStream_t);

}  // namespace dodona::calibrate::cuda
