// Tables and recurrent cells.
#include "calibrate/cuda/device_code.cuh"

namespace dodona::calibrate::cuda {

namespace {

/// One block a row, 16 bytes a thread where rows are multiples of that; `bytes` of a row.
__global__ void gather_rows(const char* table, const std::int32_t* rows, char* out, Count bytes) {
    const char* from = table + static_cast<Count>(rows[blockIdx.x]) * bytes;
    char* to = out + static_cast<Count>(blockIdx.x) * bytes;
    if (bytes % 16 == 0) {
        for (Count i = threadIdx.x * 16; i < bytes; i += blockDim.x * 16) {
            *reinterpret_cast<int4*>(to + i) = *reinterpret_cast<const int4*>(from + i);
        }
        return;
    }
    for (Count i = threadIdx.x; i < bytes; i += blockDim.x) {
        to[i] = from[i];
    }
}

__global__ void add_rows(const float* values, const std::int32_t* rows, float* table, Count columns) {
    for (Count c = threadIdx.x; c < columns; c += blockDim.x) {
        atomicAdd(table + static_cast<Count>(rows[blockIdx.x]) * columns + c, values[blockIdx.x * columns + c]);
    }
}

/// T: two elements of 16 bits each.
template <typename T>
__global__ void add_row_pairs(const T* values, const std::int32_t* rows, T* table, Count pairs) {
    for (Count c = threadIdx.x; c < pairs; c += blockDim.x) {
        atomicAdd(table + static_cast<Count>(rows[blockIdx.x]) * pairs + c, values[blockIdx.x * pairs + c]);
    }
}

__device__ float sigmoid(float x) { return 1.0F / (1.0F + __expf(-x)); }

/// Four gates: an LSTM's input, forget, candidate and output. Three: a GRU's reset, update and candidate, the reset
/// applied to the candidate's share of the state that the product already holds. One: tanh of it.
template <typename T>
__global__ void units_forward(const T* gates, float* memory, T* state, int per_unit, Count samples, Count units) {
    each_of_grid(samples * units, [&](Count i) {
        const Count c = i % units;
        const T* row = gates + i / units * per_unit * units + c;
        const float a = value_of(row[0]);
        if (per_unit == 1) {
            state[i] = element_of<T>(tanhf(a));
            return;
        }
        const float b = value_of(row[units]);
        const float d = value_of(row[2 * units]);
        if (per_unit == 3) {
            const float update = sigmoid(b);
            const float candidate = tanhf(sigmoid(a) * d);
            state[i] = element_of<T>((1.0F - update) * candidate + update * value_of(state[i]));
            return;
        }
        const float kept = sigmoid(b) * memory[i] + sigmoid(a) * tanhf(d);
        memory[i] = kept;
        state[i] = element_of<T>(sigmoid(value_of(row[3 * units])) * tanhf(kept));
    });
}

template <typename T>
__global__ void units_backward(const T* gates, const float* memory, const T* dstate, T* dgates, int per_unit,
                               Count samples, Count units) {
    each_of_grid(samples * units, [&](Count i) {
        const Count at = i / units * per_unit * units + i % units;
        const float dh = value_of(dstate[i]);
        const float a = value_of(gates[at]);
        if (per_unit == 1) {
            const float h = tanhf(a);
            dgates[at] = element_of<T>(dh * (1.0F - h * h));
            return;
        }
        const float first = sigmoid(a);
        const float second = sigmoid(value_of(gates[at + units]));
        const float third = value_of(gates[at + 2 * units]);
        if (per_unit == 3) {
            const float candidate = tanhf(first * third);
            const float inner = dh * (1.0F - second) * (1.0F - candidate * candidate);
            dgates[at] = element_of<T>(inner * third * first * (1.0F - first));
            dgates[at + units] = element_of<T>(dh * -candidate * second * (1.0F - second));
            dgates[at + 2 * units] = element_of<T>(inner * first);
            return;
        }
        const float candidate = tanhf(third);
        const float output = sigmoid(value_of(gates[at + 3 * units]));
        const float kept = memory[i];
        const float now = tanhf(kept);
        const float dmemory = dh * output * (1.0F - now * now);
        dgates[at] = element_of<T>(dmemory * candidate * first * (1.0F - first));
        dgates[at + units] = element_of<T>(dmemory * kept * second * (1.0F - second));
        dgates[at + 2 * units] = element_of<T>(dmemory * first * (1.0F - candidate * candidate));
        dgates[at + 3 * units] = element_of<T>(dh * now * output * (1.0F - output));
    });
}

/// Whole warps, at most kThreads, about 16 bytes a thread.
unsigned threads_for(Count bytes) {
    const Count wanted = (bytes / 16 + 31) / 32 * 32;
    return static_cast<unsigned>(wanted < 32 ? 32 : wanted > kThreads ? kThreads : wanted);
}

}  // namespace

void gather(Element element, const void* table, const std::int32_t* rows, void* out, Count lookups, Count columns,
            cudaStream_t stream) {
    const Count bytes = columns * static_cast<Count>(width(element));
    gather_rows<<<static_cast<unsigned>(lookups), threads_for(bytes), 0, stream>>>(
        static_cast<const char*>(table), rows, static_cast<char*>(out), bytes);
}

void scatter_add(Element element, const void* values, const std::int32_t* rows, void* table, Count lookups,
                 Count columns, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(lookups);
    const unsigned threads = threads_for(columns * 8);
    if (element == Element::fp16) {
        add_row_pairs<<<blocks, threads, 0, stream>>>(static_cast<const __half2*>(values), rows,
                                                      static_cast<__half2*>(table), columns / 2);
    } else if (element == Element::bf16) {
        add_row_pairs<<<blocks, threads, 0, stream>>>(static_cast<const __nv_bfloat162*>(values), rows,
                                                      static_cast<__nv_bfloat162*>(table), columns / 2);
    } else {
        add_rows<<<blocks, threads, 0, stream>>>(static_cast<const float*>(values), rows, static_cast<float*>(table),
                                                 columns);
    }
}

void gate_units(Element element, const void* gates, float* memory, void* state, int gates_per_unit, Count samples,
                Count units, cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        units_forward<<<blocks_for(samples * units), kThreads, 0, stream>>>(
            static_cast<const T*>(gates), memory, static_cast<T*>(state), gates_per_unit, samples, units);
    });
}

void gate_units_backward(Element element, const void* gates, const float* memory, const void* dstate, void* dgates,
                         int gates_per_unit, Count samples, Count units, cudaStream_t stream) {
    with_real(element, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        units_backward<<<blocks_for(samples * units), kThreads, 0, stream>>>(
            static_cast<const T*>(gates), memory, static_cast<const T*>(dstate), static_cast<T*>(dgates),
            gates_per_unit, samples, units);
    });
}

}  // namespace dodona::calibrate::cuda
