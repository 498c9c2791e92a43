// What a device's profile says about a kernel: parameters fitted to measured kernels, in the equation
//
//   t = start + (C^overlap + M^overlap)^(1/overlap)
//   M = bytes / (W * memory)
//   C = min over tiles and splits of  waves * SMs * 2*tm*tn*(k/split) / (P * compute)
//           * (1 + edge (1/tm + 1/tn - least)) * (1 + ramp * split/k) * flops / (2 m n k batch)   + partial sums / (W *
//           memory)
//   blocks = batch * ceil(m/tm) * ceil(n/tn) * split;   w = blocks / SMs;   waves = max(1, w + tail (ceil(w) - w))
//
// of a product; P is the device's peak at the kernel's precision, W its memory bandwidth, `least` the smallest
// 1/tm + 1/tn of its tiles. An attention has one kind of tile, 128 queries by all keys (n) and heads padded to 32
// features (k): 2 * 128 * (n + edge) * (k + ramp) operations, never split. The arithmetic of a convolution whose
// windows overlap is divided by `window_gain` (Winograd's and Fourier algorithms). A product of a backward pass takes
// `backward` times as long beyond `start`. Streams and gathers take start + M (or their operations at the vector peak).
// A benchmark of fp8 products takes  cast.start + cast.bytes * m*k / W  on top (`benchmark_cast`), which only the
// fitting adds. P of products is `sustained` times the peak where a machine's file says how far a limit of power takes
// its clocks in continuous use; attention was measured at its own clocks.
// Splits and the narrow products that may run at the vector peak are those of device_time.hpp. Times in s, bytes in B,
// peaks in FLOP/s.
//
// Where no fit is of the kernel's own precision that of a relative answers, with its shares of the kernel's own peak:
// fp16 and bf16 for each other; bf16 or fp16 for tf32; fp8 for mxfp8 and nvfp4; fp32 for fp16 where the device's fp16
// is no faster (Maxwell, GTX of Pascal: fp16 only halves the bytes). A convolution that nothing was fitted for is its
// implicit matrix product. Outside the range of the measured rows the interval widens in log by 25 % an octave, of a
// relative's or a borrowed profile once by 28 % on either side: our assumptions, which nothing measured.
// Source: CALIBRATION, "How to fit": tile and wave quantisation with a K ramp.
// Not modelled: clocks that depend on the data; L2 reuse between kernels; software newer than the measured one.
#pragma once

#include <optional>

#include "base/precision.hpp"
#include "cluster/device.hpp"
#include "cost/device_time.hpp"
#include "graph/kernel.hpp"

namespace dodona::cost {

/// By the equation above, of one of the kernel's `times`. Without `benchmark_cast`.
Seconds fitted_seconds(const cluster::Device& device, const cluster::KernelFit& fit, const graph::Kernel& kernel,
                       Precision precision);

/// What the benchmark behind the fit took for one of the kernel's `times`: with its cast of the input.
Seconds benchmark_seconds(const cluster::Device& device, const cluster::KernelFit& fit, const graph::Kernel& kernel,
                          Precision precision);

/// The answer of the device's profile; nothing where no fit is of this kind of kernel. Does not allocate.
std::optional<KernelTime> from_fits(const cluster::Device& device, const graph::Kernel& kernel, Precision precision);

/// No fit lets a kernel of this kind take less time than its operations at this share of the peak (of streams and
/// gathers: its bytes at this share of the bandwidth), but for products too narrow for matrix units, which the vector
/// peak bounds. None: no fit answers for such kernels.
std::optional<double> most_of_peak(const cluster::Device& device, graph::KernelKind kind, Precision precision);

}  // namespace dodona::cost
