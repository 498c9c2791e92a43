// What is measured: a benchmark and its parameters, the same words in every back end, import and file.
//
// benchmark    parameters ([words]; extents "56x56")                                  time is of
// matmul       m n k batch precision direction                                        one product, see below
// convolution  images channels filters groups input window stride pad dilation        one convolution
//              precision direction layout [nchw, nhwc, blocked] algorithm               (without `algorithm`: by whatever
//              [implicit-gemm, precomputed-gemm, winograd, fft]                        the library takes unasked)
// attention    batch heads kv_heads queries keys head causal precision direction      one fused attention
// recurrent    samples gates inputs cells precision direction                         one step of `cells` cells
// operator     operator rows columns precision direction; or of images:               one pass of it, see below
//              images channels input window stride pad layout [nchw, blocked]
// stream       bytes pattern [read, write, copy, triad]                               moving `bytes` in all
// gather       rows width lookups precision direction                                 looking up, or adding to, rows; with
//              pooled                                                                 `pooled` that many make one sum
// tables       tables rows width lookups (of a sample) samples ranks ranks_per_node    look-ups of tables on all ranks, both
//                                                                                     all-to-alls, additions to rows
// compression  kernel [exact-top-k, threshold-top-k, int8, fp8, int4, 1-bit]          compressing a buffer, and adding or
//              elements density passes block                                          writing back what it became
// copy         bytes from to [pageable, pinned, device, peer] both_ways [0, 1]        one copy, by the engine or by
//              engine [copy, kernels]                                                  kernels; the other way beside it
// launch       kind [plain, graph]                                                    one empty kernel, among many
// fork         threads                                                                a region of that many threads that do
//                                                                                     nothing
// crowd        kernel (a benchmark) and its parameters, passes cores threads           `passes` kernels one after the
//              operators                                                               other, of each of `operators` that
//                                                                                     run so side by side
// collective   collective bytes ranks ranks_per_node level groups in_place algorithm  all ranks, start to last end
//              [free, ring]
// send         bytes level pattern groups ranks ranks_per_node                        one message, one way
//              [ping-pong, window, overhead, gap, window-both: each way, ring: to the next of all]
// file         operation [write, read, create, stat, remove] bytes block writers      one operation of all writers
//              directory
// checkpoint   operation [write, read] format [raw, safetensors, npz, npz-compressed]  one checkpoint of fp32 tensors,
//              bytes tensors directory                                                 restored bit by bit
// interference resource load load_threads directory and the parameters of a kernel    the kernel beside the load
//              (`kernel` names it)
//
// - Channels and filters of a convolution are those of all its groups.
// - `operator`: relu, gelu, silu, sigmoid, tanh, add, softmax, layer-norm, rms-norm, batch-norm, max-pool,
//   average-pool.
// - `precision`: a name of base/precision.hpp. `direction`: forward, backward-input, backward-weight
//   (graph::Direction).
// - Products are row-major: forward x[m,k] by the transpose of W[n,k]; backward-input dY[m,k] by W[k,n];
//   backward-weight the transpose of dY[k,m] by X[k,n].
// - `bytes` of a collective is its full buffer, as in cluster::CollectiveCurve: the result of an all-gather, the
//   input of a reduce-scatter. `collective` is a cluster::name, or broadcast. `groups`: how many disjoint groups run
//   it at once.
// - Any case may have `threads`, the number of threads of a CPU; `check` 1 compares a result with the host's and
//   times nothing.
// - `moved`, `flops`, `weight_moved` and `weight_flops` do not change what runs. They say what the kernel of the
//   network that the case was made from moves and computes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dodona::calibrate {

using Parameter = std::variant<double, std::string>;

struct Case {
    std::string benchmark;
    std::map<std::string, Parameter> parameters;

    /// The number of that name; `otherwise` where there is none. A text value is an internal error.
    [[nodiscard]] double number(std::string_view name, double otherwise = 0) const;
    [[nodiscard]] std::string word(std::string_view name, std::string_view otherwise = {}) const;
    [[nodiscard]] bool has(std::string_view name) const;

    /// "matmul batch=1 k=512 m=64 ...": names sorted, the same text for the same case.
    [[nodiscard]] std::string key() const;
    auto operator<=>(const Case&) const = default;
};

/// "56x56" as numbers; a fault of ours where it is none.
std::vector<std::int64_t> extents(std::string_view text);

}  // namespace dodona::calibrate
