// The data sheet's answer for a kernel; the equation is in device_time.hpp.
#pragma once

#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "cluster/device.hpp"
#include "graph/kernel.hpp"

namespace dodona::cost {

/// How many times as long the matrix units take for a product of activations (batched: attention that is not fused)
/// whose rows are not whole 16-byte words: then the library falls back to kernels outside of them. Weights are padded,
/// activations cannot be. Source: NVIDIA, Matrix Multiplication Background User's Guide, "Tensor Core Requirements";
/// the share: 16-bit arithmetic outside the matrix units has a quarter of their peak on V100, A100 and H100.
double misalignment(const graph::Kernel& kernel, Precision precision);

/// Columns of one matrix instruction: mma.m16n8k16, PTX ISA, "Matrix multiply-accumulate operation".
inline constexpr double kInstructionColumns = 8;

/// A split of k must leave each part at least this deep: shallower ones spend their time filling the pipeline.
/// The mechanism is CUTLASS's ("Efficient GEMM in CUDA", parallelised reductions); the depth is our assumption, eight
/// steps of a tile 32 deep, and not measured.
inline constexpr double kLeastDepth = 256;

/// Seconds to write and read back one more set of fp32 partial sums of an m x n result, at the data sheet's bandwidth.
Seconds partial_sums(const cluster::Device& device, const graph::Kernel& kernel);

/// How much more than its share of the device a product of these extents occupies, by whole tiles and whole waves:
/// >= 1.
double quantisation(const cluster::Device& device, double m, double n, double batch);

/// Of one of the kernel's `times`.
Seconds roofline(const cluster::Device& device, const graph::Kernel& kernel, Precision precision);

/// A kernel whose extents tell nothing: so many bytes, so many operations.
Seconds stream_roofline(const cluster::Device& device, Bytes bytes, Flop flops);

}  // namespace dodona::cost
