// Compression of a buffer: block quantisation and its inverse, the largest elements, adding what was selected.
//
// The same results as calibrate/compression has on the host. A selection never waits for the host: what a pass found
// lies in the GPU's memory, and the last block of a pass to end says what the next one looks for.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "calibrate/cuda/block_codes.hpp"
#include "calibrate/cuda/device_code.cuh"
#include "calibrate/cuda/selection_step.hpp"

namespace dodona::calibrate::cuda {

namespace {

constexpr int kWarp = 32;
constexpr int kWarps = kThreads / kWarp;
constexpr Count kTile = kThreads * kOctet;  ///< elements of one block of threads where their order matters
static_assert(kThreads == kDigits, "a thread for each digit");

// ---- eight values at a time

__device__ Octet load_octet(const float* from, Count left) {
    Octet values{};
    values.count = left < kOctet ? static_cast<int>(left) : kOctet;
    if (left >= kOctet) {
        *reinterpret_cast<float4*>(values.at) = *reinterpret_cast<const float4*>(from);
        *reinterpret_cast<float4*>(values.at + 4) = *reinterpret_cast<const float4*>(from + 4);
        return values;
    }
    for (int i = 0; i < kOctet; ++i) {
        if (i < values.count) {
            values.at[i] = from[i];
        }
    }
    return values;
}

__device__ void store_octet(float* to, const Octet& values) {
    if (values.count == kOctet) {
        *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(values.at);
        *reinterpret_cast<float4*>(to + 4) = *reinterpret_cast<const float4*>(values.at + 4);
        return;
    }
    for (int i = 0; i < kOctet; ++i) {
        if (i < values.count) {
            to[i] = values.at[i];
        }
    }
}

/// Calls f(octet) for every eight values that are this thread's, over the whole grid.
template <typename F>
__device__ void each_octet(const float* values, Count elements, F f) {
    each_of_grid((elements + kOctet - 1) / kOctet,
                 [&](Count i) { f(load_octet(values + i * kOctet, elements - i * kOctet)); });
}

// ---- block quantisation

template <CodeFormat format>
__device__ void store_codes(std::uint8_t* to, std::uint64_t codes, int count) {
    if (count < kOctet) {
        for (int byte = 0; byte < (count * kBits<format> + 7) / 8; ++byte) {
            to[byte] = static_cast<std::uint8_t>(codes >> (8 * byte));
        }
    } else if constexpr (kBits<format> == 8) {
        *reinterpret_cast<std::uint64_t*>(to) = codes;
    } else if constexpr (kBits<format> == 4) {
        *reinterpret_cast<std::uint32_t*>(to) = static_cast<std::uint32_t>(codes);
    } else {
        *to = static_cast<std::uint8_t>(codes);
    }
}

template <CodeFormat format>
__device__ std::uint64_t load_codes(const std::uint8_t* from, int count) {
    if (count < kOctet) {
        std::uint64_t codes = 0;
        for (int byte = 0; byte < (count * kBits<format> + 7) / 8; ++byte) {
            codes |= static_cast<std::uint64_t>(from[byte]) << (8 * byte);
        }
        return codes;
    }
    if constexpr (kBits<format> == 8) {
        return *reinterpret_cast<const std::uint64_t*>(from);
    } else if constexpr (kBits<format> == 4) {
        return *reinterpret_cast<const std::uint32_t*>(from);
    } else {
        return *from;
    }
}

/// A warp a block of values. Scales begin at any byte.
template <CodeFormat format>
__global__ void quantise(const float* values, Count elements, Count block, std::uint8_t* codes, std::uint8_t* scales) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const Count warps = static_cast<Count>(gridDim.x) * kWarps;
    for (Count b = static_cast<Count>(blockIdx.x) * kWarps + threadIdx.x / kWarp; b * block < elements; b += warps) {
        const Count first = b * block;
        const Count here = elements - first < block ? elements - first : block;
        float all = 0;
        for (Count at = lane * kOctet; at < here; at += kWarp * kOctet) {
            const Octet octet = load_octet(values + first + at, here - at);
            for (int i = 0; i < kOctet; ++i) {
                all = joined<format>(all, fabsf(octet.at[i]));
            }
        }
        for (int offset = kWarp / 2; offset > 0; offset /= 2) {
            all = joined<format>(all, __shfl_xor_sync(0xffffffffU, all, offset));
        }
        const float scale = scale_of<format>(all, static_cast<float>(here));
        const float inverse = inverse_of(scale);
        for (Count at = lane * kOctet; at < here; at += kWarp * kOctet) {
            const Octet octet = load_octet(values + first + at, here - at);
            store_codes<format>(codes + (first + at) / kOctet * kBits<format>, encoded<format>(octet, inverse),
                                octet.count);
        }
        if (lane == 0) {
            memcpy(scales + b * sizeof(float), &scale, sizeof(float));
        }
    }
}

template <CodeFormat format>
__global__ void dequantise(const std::uint8_t* codes, const std::uint8_t* scales, Count block, float* values,
                           Count elements) {
    each_of_grid((elements + kOctet - 1) / kOctet, [&](Count i) {
        const Count first = i * kOctet;
        const int count = elements - first < kOctet ? static_cast<int>(elements - first) : kOctet;
        float scale = 0;
        memcpy(&scale, scales + first / block * sizeof(float), sizeof(float));
        store_octet(values + first,
                    decoded<format>(load_codes<format>(codes + i * kBits<format>, count), scale, count));
    });
}

/// Calls f with the format as a constant.
template <typename F>
void with_format(CodeFormat format, F f) {
    switch (format) {
        case CodeFormat::int8: f(std::integral_constant<CodeFormat, CodeFormat::int8>()); break;
        case CodeFormat::fp8: f(std::integral_constant<CodeFormat, CodeFormat::fp8>()); break;
        case CodeFormat::int4: f(std::integral_constant<CodeFormat, CodeFormat::int4>()); break;
        case CodeFormat::one_bit: f(std::integral_constant<CodeFormat, CodeFormat::one_bit>()); break;
    }
}

// ---- selection

/// Where a selection stands.
struct SelectionState {
    std::uint32_t k;
    std::uint32_t blocks_done;  ///< of a pass
    KeySearch key;
    std::uint32_t counts[kDigits];  ///< of digits, in a pass
    ThresholdSearch threshold;
    double sum;           ///< of magnitudes
    std::uint32_t most;   ///< the largest key
    std::uint32_t above;  ///< the threshold, in a pass
    Taking taking;
};

/// Grows with the magnitude.
__device__ std::uint32_t key_of(float value) { return __float_as_uint(value) & 0x7fffffffU; }

/// Whether this block is the last one of the pass: what all the others wrote before can then be read, past the cache of
/// the multiprocessor. The same for all threads of a block.
__device__ bool ends_pass(SelectionState* state) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicInc(&state->blocks_done, gridDim.x - 1) == gridDim.x - 1;  // begins anew by itself
    }
    __syncthreads();
    return last;
}

/// One block of threads.
__global__ void begin_selection(SelectionState* state, std::uint32_t k) {
    state->counts[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        state->k = k;
        state->blocks_done = 0;
        state->key = {0, 0, k};
        state->sum = 0;
        state->most = 0;
        state->above = 0;
    }
}

/// One pass of the radix selection: counts the digits of the keys that share what is known. Each warp counts for itself,
/// since the highest digit of most magnitudes is the same.
__global__ void find_digit(const float* values, Count elements, int shift, SelectionState* state) {
    using Scan = cub::BlockScan<std::uint32_t, kThreads>;
    __shared__ std::uint32_t counts[kWarps][kDigits];
    __shared__ typename Scan::TempStorage scratch;
    for (int warp = 0; warp < kWarps; ++warp) {
        counts[warp][threadIdx.x] = 0;
    }
    const KeySearch search = state->key;
    __syncthreads();
    each_octet(values, elements, [&](const Octet& octet) {
        for (int i = 0; i < kOctet; ++i) {
            const std::uint32_t key = key_of(octet.at[i]);
            if (i < octet.count && competes(search, key)) {
                atomicAdd(&counts[threadIdx.x / kWarp][key >> shift & (kDigits - 1U)], 1U);
            }
        }
    });
    __syncthreads();
    std::uint32_t sum = 0;
    for (int warp = 0; warp < kWarps; ++warp) {
        sum += counts[warp][threadIdx.x];
    }
    if (sum > 0) {
        atomicAdd(&state->counts[threadIdx.x], sum);
    }
    if (!ends_pass(state)) {
        return;
    }
    const std::uint32_t digit = kDigits - 1 - threadIdx.x;  // the largest first
    const std::uint32_t count = __ldcg(&state->counts[digit]);
    std::uint32_t above = 0;
    Scan(scratch).ExclusiveSum(count, above);
    state->counts[digit] = 0;
    if (has_rank(search, above, count)) {
        const KeySearch next = with_digit(search, digit, shift, above);
        state->key = next;
        state->taking = {next.found, next.found, next.left};
    }
}

/// The mean magnitude, which is tried first, and the largest.
__global__ void find_mean(const float* values, Count elements, SelectionState* state) {
    using Sum = cub::BlockReduce<double, kThreads>;
    __shared__ typename Sum::TempStorage scratch;
    double sum = 0;
    float most = 0;
    each_octet(values, elements, [&](const Octet& octet) {
        for (int i = 0; i < kOctet; ++i) {
            sum += static_cast<double>(fabsf(octet.at[i]));
            most = fmaxf(most, fabsf(octet.at[i]));
        }
    });
    sum = Sum(scratch).Sum(sum);
    most = block_max(most);
    if (threadIdx.x == 0) {
        atomicAdd(&state->sum, sum);
        atomicMax(&state->most, key_of(most));
    }
    if (ends_pass(state) && threadIdx.x == 0) {
        const auto mean = static_cast<float>(__ldcg(&state->sum) / static_cast<double>(elements));
        state->threshold = {0, __uint_as_float(__ldcg(&state->most)), mean, 0};
    }
}

/// One pass of the search for the threshold.
__global__ void narrow_threshold(const float* values, Count elements, SelectionState* state) {
    using Sum = cub::BlockReduce<std::uint32_t, kThreads>;
    __shared__ typename Sum::TempStorage scratch;
    const ThresholdSearch search = state->threshold;
    std::uint32_t above = 0;
    each_octet(values, elements, [&](const Octet& octet) {
        for (int i = 0; i < kOctet; ++i) {  // values past the end are 0, and no threshold is below
            above += fabsf(octet.at[i]) > search.next ? 1 : 0;
        }
    });
    above = Sum(scratch).Sum(above);
    if (threadIdx.x == 0 && above > 0) {
        atomicAdd(&state->above, above);
    }
    if (ends_pass(state) && threadIdx.x == 0) {
        const ThresholdSearch next = narrowed(search, __ldcg(&state->above), state->k);
        state->threshold = next;
        state->above = 0;
        state->taking = {key_of(next.least), key_of(next.sure), state->k - next.above_sure};
    }
}

/// How many are above in the upper half, how many may fill in the lower: one addition adds both.
__device__ unsigned long long counted(const Octet& octet, const Taking& taking) {
    unsigned long long count = 0;
    for (int i = 0; i < kOctet; ++i) {
        const std::uint32_t key = key_of(octet.at[i]);
        const unsigned long long one = is_sure(taking, key) ? 1ULL << 32 : may_fill(taking, key) ? 1ULL : 0ULL;
        count += i < octet.count ? one : 0ULL;
    }
    return count;
}

/// The eight values of this thread in the block's tile; none past the end.
__device__ Octet octet_of_tile(const float* values, Count elements) {
    const Count first = blockIdx.x * kTile + threadIdx.x * kOctet;
    return first < elements ? load_octet(values + first, elements - first) : Octet{};
}

__global__ void count_taken(const float* values, Count elements, const SelectionState* state,
                            unsigned long long* tiles) {
    using Sum = cub::BlockReduce<unsigned long long, kThreads>;
    __shared__ typename Sum::TempStorage scratch;
    const unsigned long long count = Sum(scratch).Sum(counted(octet_of_tile(values, elements), state->taking));
    if (threadIdx.x == 0) {
        tiles[blockIdx.x] = count;
    }
}

/// `before`: what tiles before each counted. An element's place is the number of those taken before it.
__global__ void write_taken(const float* values, Count elements, const SelectionState* state,
                            const unsigned long long* before, SelectedElements to) {
    using Scan = cub::BlockScan<unsigned long long, kThreads>;
    __shared__ typename Scan::TempStorage scratch;
    const Taking taking = state->taking;
    const Octet octet = octet_of_tile(values, elements);
    unsigned long long earlier = 0;
    Scan(scratch).ExclusiveSum(counted(octet, taking), earlier);
    earlier += before[blockIdx.x];
    auto sure = static_cast<std::uint32_t>(earlier >> 32);
    auto filling = static_cast<std::uint32_t>(earlier);
    for (int i = 0; i < kOctet; ++i) {
        const std::uint32_t key = key_of(octet.at[i]);
        const std::uint32_t place = sure + (filling < taking.open ? filling : taking.open);
        const bool fills = may_fill(taking, key);
        if (i < octet.count && (is_sure(taking, key) || (fills && filling < taking.open))) {
            to.values[place] = octet.at[i];
            to.indices[place] = static_cast<std::uint32_t>(blockIdx.x * kTile + threadIdx.x * kOctet + i);
        }
        sure += is_sure(taking, key) ? 1 : 0;
        filling += fills ? 1 : 0;
    }
}

/// No index stands twice, so that additions do not meet.
__global__ void add_elements(SelectedElements of, Count k, float* sum) {
    each_of_grid(k, [&](Count i) { sum[of.indices[i]] += of.values[i]; });
}

/// What a selection needs beside its values, one after the other in one buffer.
struct SelectionScratch {
    SelectionState* state;
    unsigned long long *tiles, *before;
    void* scan;
    std::size_t scan_bytes;
    std::size_t bytes;  ///< in all
};

/// Few enough that what each adds to the counts of all is little beside what it reads.
unsigned counting_blocks(Count elements) {
    constexpr unsigned kMax = 1024;
    const unsigned blocks = blocks_for(elements / kOctet);
    return blocks < kMax ? blocks : kMax;
}

unsigned tiles_of(Count elements) { return static_cast<unsigned>((elements + kTile - 1) / kTile); }

SelectionScratch scratch_in(void* memory, Count elements) {
    constexpr std::size_t kAlignment = 256;
    SelectionScratch of{};
    const auto next = [&](std::size_t size) {
        char* const at = static_cast<char*>(memory) + of.bytes;
        of.bytes += (size + kAlignment - 1) / kAlignment * kAlignment;
        return static_cast<void*>(at);
    };
    const std::size_t tiles = tiles_of(elements);
    of.state = static_cast<SelectionState*>(next(sizeof(SelectionState)));
    of.tiles = static_cast<unsigned long long*>(next(tiles * sizeof(unsigned long long)));
    of.before = static_cast<unsigned long long*>(next(tiles * sizeof(unsigned long long)));
    (void)cub::DeviceScan::ExclusiveSum(nullptr, of.scan_bytes, of.tiles, of.before, static_cast<int>(tiles));
    of.scan = next(of.scan_bytes);
    return of;
}

void take(const float* values, Count elements, const SelectionScratch& of, SelectedElements to, cudaStream_t stream) {
    const unsigned tiles = tiles_of(elements);
    count_taken<<<tiles, kThreads, 0, stream>>>(values, elements, of.state, of.tiles);
    std::size_t bytes = of.scan_bytes;
    (void)cub::DeviceScan::ExclusiveSum(of.scan, bytes, of.tiles, of.before, static_cast<int>(tiles), stream);
    write_taken<<<tiles, kThreads, 0, stream>>>(values, elements, of.state, of.before, to);
}

}  // namespace

void quantise_blocks(CodeFormat format, const float* values, Count elements, Count block, std::uint8_t* packed,
                     cudaStream_t stream) {
    const auto codes = static_cast<Count>(code_bytes(format, static_cast<std::size_t>(elements)));
    const Count blocks = (elements + block - 1) / block;
    with_format(format, [&](auto constant) {
        quantise<decltype(constant)::value>
            <<<blocks_for(blocks * kWarp), kThreads, 0, stream>>>(values, elements, block, packed, packed + codes);
    });
}

void dequantise_blocks(CodeFormat format, const std::uint8_t* packed, Count elements, Count block, float* values,
                       cudaStream_t stream) {
    const auto codes = static_cast<Count>(code_bytes(format, static_cast<std::size_t>(elements)));
    with_format(format, [&](auto constant) {
        dequantise<decltype(constant)::value><<<blocks_for((elements + kOctet - 1) / kOctet), kThreads, 0, stream>>>(
            packed, packed + codes, block, values, elements);
    });
}

std::size_t selection_bytes(Count elements) { return scratch_in(nullptr, elements).bytes; }

void select_exactly(const float* values, Count elements, Count k, void* scratch, SelectedElements to,
                    cudaStream_t stream) {
    const SelectionScratch of = scratch_in(scratch, elements);
    const unsigned blocks = counting_blocks(elements);
    begin_selection<<<1, kThreads, 0, stream>>>(of.state, static_cast<std::uint32_t>(k));
    for (int shift = 32 - kDigitBits; shift >= 0; shift -= kDigitBits) {
        find_digit<<<blocks, kThreads, 0, stream>>>(values, elements, shift, of.state);
    }
    take(values, elements, of, to, stream);
}

void select_by_threshold(const float* values, Count elements, Count k, int passes, void* scratch, SelectedElements to,
                         cudaStream_t stream) {
    const SelectionScratch of = scratch_in(scratch, elements);
    const unsigned blocks = counting_blocks(elements);
    begin_selection<<<1, kThreads, 0, stream>>>(of.state, static_cast<std::uint32_t>(k));
    find_mean<<<blocks, kThreads, 0, stream>>>(values, elements, of.state);
    for (int pass = 0; pass < passes; ++pass) {
        narrow_threshold<<<blocks, kThreads, 0, stream>>>(values, elements, of.state);
    }
    take(values, elements, of, to, stream);
}

void add_selected(SelectedElements of, Count k, float* sum, cudaStream_t stream) {
    add_elements<<<blocks_for(k), kThreads, 0, stream>>>(of, k, sum);
}

}  // namespace dodona::calibrate::cuda
