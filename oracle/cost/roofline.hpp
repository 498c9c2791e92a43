// Times of kernels by the roofline of the data sheet; the equation is in device_time.hpp.
#pragma once

#include <optional>

#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "cluster/device.hpp"
#include "graph/kernel.hpp"

namespace dodona::cost {

/// Slow-down of a product of activations (batched: attention that is not fused) whose rows are not whole 16-byte words:
/// libraries then use kernels without matrix units. Weights are padded, activations cannot be. Source: NVIDIA, Matrix
/// Multiplication Background User's Guide, "Tensor Core Requirements"; the share: 16-bit arithmetic outside the matrix
/// units has a quarter of their peak on V100, A100 and H100.
double misalignment(const graph::Kernel& kernel, Precision precision);

/// The most that matrix units do of a product with a weight whose rows are not whole 16-byte words, and are not padded;
/// none where they are whole, on devices of other makers than NVIDIA, and where no matrix units are used. What moves
/// into shared memory is as many elements an access as the rows are aligned to, and that rate a multiprocessor bounds
/// the product. Source of the rate: cuBLAS 13 on an H100 and an H200, whatever the format (lab/evidence/tables:
/// the head of GPT-2, 50,257 wide, steps/h100-sxm5-80gb.jsonl and h200-sxm-141gb.jsonl: 123 TFLOP/s of 132
/// multiprocessors in bf16 and 125 in tf32, the harmonic means of the three products; that of BERT, 30,522 wide,
/// kernels/h200_records.jsonl: 228). Domain: measured there alone; others of NVIDIA are taken to be alike.
std::optional<FlopPerSecond> unaligned_rate(const cluster::Device& device, const graph::Kernel& kernel,
                                            Precision precision);

/// Whether it is a convolution for whose window Winograd's algorithm pays: of 4 results of one filter that an input
/// element contributes to, or more; 3 x 3 has 9, with stride 2 2.25. Lavin and Gray, arXiv:1509.09308.
bool has_overlapping_window(const graph::Kernel& kernel);

/// How many times less arithmetic vector units do in fp32 for a convolution with such a window where no convolution was
/// measured on the device: Winograd's and Fourier algorithms. 1 in other precisions: on matrix units they gain nothing.
/// Source: the middle of `window_gain` in fp32 in hardware/profiles (GTX 1080 Ti, P100, T4, Titan X, V100; 1.24 to
/// 2.77). Domain: NVIDIA's cuDNN; with it steps of VGG-16, AlexNet and ResNet-50 on an H100, none of which is behind
/// the number, are 26, 8 and 5 % off (lab/evidence/tables/steps: h100-16, -17, -10).
double window_saving(const cluster::Device& device, Precision precision);

/// Instructions that a device's threads can issue in a second: one a clock for each of the 128 lanes of a
/// multiprocessor's four schedulers, of the 64 lanes of an AMD compute unit's four SIMDs; the clock follows from the data
/// sheet's rate of vector units, 64 or 128 results a multiprocessor, 64 or with packed instructions 128 a compute unit.
/// None for other makers, and where the file does not say. Source: NVIDIA, CUDA C++ Programming Guide, "Compute
/// Capabilities", of 6.0 to 12.0; AMD, ROCm Compute Profiler documentation, "Pipeline descriptions": four 16-wide SIMD
/// processors. What PyTorch issues for an element is taken as the same on both: its kernels are of one source.
std::optional<double> instruction_rate(const cluster::Device& device);

/// Rows, columns and depth of one matrix instruction: mma.m16n8k16, PTX ISA, "Matrix multiply-accumulate operation".
inline constexpr double kInstructionRows = 16;
inline constexpr double kInstructionColumns = 8;
inline constexpr double kInstructionDepth = 16;

/// Least depth of each part of a split k; shallower parts spend most of their time in prologue and epilogue.
/// The mechanism is CUTLASS's ("Efficient GEMM in CUDA", parallelised reductions); the depth is our assumption, eight
/// steps of a tile 32 deep, and not measured.
inline constexpr double kLeastDepth = 256;

/// Seconds to write and read back one more set of fp32 partial sums of an m x n result, at the data sheet's bandwidth.
Seconds partial_sums(const cluster::Device& device, const graph::Kernel& kernel);

/// Tile and wave quantisation of a product: occupied over needed share of the device, >= 1.
double quantisation(const cluster::Device& device, double m, double n, double batch);

/// Roofline time of one of the kernel's `times`.
Seconds roofline(const cluster::Device& device, const graph::Kernel& kernel, Precision precision);

/// Roofline time of a kernel given by bytes and operations only.
Seconds stream_roofline(const cluster::Device& device, Bytes bytes, Flop flops);

}  // namespace dodona::cost
