// Functions that launch our own kernels. All are asynchronous on the stream; none checks its arguments.
//
// They cover what no library has: data, streams, look-ups, the gates of recurrent cells, compression. What a framework
// runs between its products is measured with the framework itself (bindings/python/dodona/torch_kernels.py).
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

// ---- tables, recurrent cells
void gather(Element, const void* table, const std::int32_t* rows, void* out, Count lookups, Count columns,
            cudaStream_t);
/// table[rows[i]] += values[i]; fp32 tables add fp32, the others pairs of 16 bits. An even number of columns.
void scatter_add(Element, const void* values, const std::int32_t* rows, void* table, Count lookups, Count columns,
                 cudaStream_t);
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
