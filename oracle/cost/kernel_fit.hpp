// Times of kernels from a device's profile: parameters fitted to measured kernels, in the equation
//
//   t = start + (C^overlap + M^overlap)^(1/overlap)
//   M = bytes / (W * memory)
//   C = min over tiles and splits of  waves * SMs * 2*tm*tn*(k/split) / (P * compute)
//                                     * (1 + edge (1/tm + 1/tn - least)) * (1 + ramp * split/k)
//                                     * flops / (2 m n k batch)  +  partial sums / (W * memory)
//   blocks = batch * ceil(m/tm) * ceil(n/tn) * split;   w = blocks / SMs;   waves = max(1, w + tail (ceil(w) - w))
//
// of a product; P is the device's peak at the kernel's precision (of a borrowed profile, times how much more of its
// peak this device's best products reach than those of the lender, where both are known), W its memory bandwidth,
// `least` the smallest 1/tm + 1/tn of its tiles. An attention has one kind of tile, 128 queries by all keys (n) and
// heads padded to 32 features (k): 2 * 128 * (n + edge) * (k + ramp) operations, never split. The arithmetic of a
// convolution whose windows overlap is divided by `window_gain` (Winograd's and Fourier algorithms; of devices without
// measured convolutions by `window_saving` of roofline.hpp). A product of a backward pass takes `backward` times as
// long beyond `start`. Streams and gathers take start + M (or their operations at the vector peak). Benchmarks of fp8
// products take  cast.start + cast.bytes * m*k / W  more (`benchmark_cast`), which only the fitting adds. P of products
// is the peak times the cluster file's `sustained`, for power limits in continuous use; attention was measured at its
// own clocks. Splits, and narrow products that may run at the vector peak, are as in device_time.hpp. Times in s, bytes
// in B, peaks in FLOP/s.
//
// Without a fit at the kernel's own precision, the fit of a related precision is used, relative to the kernel's own
// peak: fp16 and bf16 for each other; bf16 or fp16 for tf32; fp8 for mxfp8 and nvfp4; fp32 for fp16 where the device's
// fp16 is no faster (Maxwell, GTX of Pascal: fp16 only halves the bytes). A convolution without a fit is its implicit
// matrix product. Outside the range of the measured rows the log interval widens by 25 % per octave; for related
// precisions and borrowed profiles by 28 % once. These are our assumptions, not measured. Source: NVIDIA, Matrix
// Multiplication Background User's Guide, Tile Quantization and Wave Quantization; the ramp along k is ours. Not
// modelled: clocks that depend on the data; L2 reuse between kernels; software newer than the measured one.
#pragma once

#include <optional>

#include "base/precision.hpp"
#include "cluster/device.hpp"
#include "cost/device_time.hpp"
#include "graph/kernel.hpp"

namespace dodona::cost {

/// The equation above for one of the kernel's `times`, without `benchmark_cast`.
Seconds fitted_seconds(const cluster::Device& device, const cluster::KernelFit& fit, const graph::Kernel& kernel,
                       Precision precision);

/// The same with `benchmark_cast`: the time of the benchmark behind the fit.
Seconds benchmark_seconds(const cluster::Device& device, const cluster::KernelFit& fit, const graph::Kernel& kernel,
                          Precision precision);

/// Time by the device's profile, of attention by the fits of `library` where there are any; none without a fit of this
/// kind of kernel. Does not allocate.
std::optional<KernelTime> from_fits(const cluster::Device& device, const graph::Kernel& kernel, Precision precision,
                                    cluster::AttentionLibrary library = cluster::AttentionLibrary::flash_attention_2);

/// Upper bound of the share of the peak (for streams and gathers: of the bandwidth) that the fits of this kind of
/// kernel reach; products too narrow for matrix units are bounded by the vector peak instead. None: there is no such
/// fit.
std::optional<double> most_of_peak(const cluster::Device& device, graph::KernelKind kind, Precision precision);

}  // namespace dodona::cost
