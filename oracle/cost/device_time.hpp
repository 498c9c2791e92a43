// Times of kernels.
//
// The best evidence of a device counts, in this order: a measured point of the same shape; interpolation between
// measured points (efficiency in log space over the roofline below), inside their range only; a model fitted to
// measured kernels (kernel_fit.hpp); the roofline of the data sheet:
//
//   t = launch + max( flops / peak * quantisation,  bytes / bandwidth )
//   quantisation = min over tiles of  ceil(batch*ceil(m/tm)*ceil(n/tn) / SMs) * SMs * tm*tn / (batch*m*n)
//
// of a matrix product that is  ceil(batch*ceil(m/tm)*ceil(n/tn) / SMs) * SMs * 2*tm*tn*k / peak.  A product narrower
// than the matrix unit's own 8 columns may run at the vector peak instead (matrix times vector, depthwise convolution).
// A convolution is its implicit product, with the bytes of its real operands; an attention without extents has
// quantisation 1. Streams take max(bytes / bandwidth, flops / vector peak), gathers bytes / bandwidth.
// Times in s, bytes in B, peaks in FLOP/s; m, n, k, batch > 0.
// k may be split s ways (s a power of two, k/s >= 256): s times as many tiles, and 2 * s * 4 m n bytes of fp32 partial
// sums more to move. Weight gradients of convolutions (m, n small, k all positions) depend on it.
// Not modelled: clocks under power limits, L2 reuse between kernels, operands of one byte (an fp8 product is
// charged the two bytes that its operands have in memory).
// Source: tile and wave quantisation as in NVIDIA's "Matrix multiplication background user's guide"; the 8 columns are
// those of mma.m16n8k16 in NVIDIA's PTX ISA.
#pragma once

#include "base/estimate.hpp"
#include "base/precision.hpp"
#include "cluster/device.hpp"
#include "graph/kernel.hpp"

namespace dodona::cost {

/// The interval of `time`: for measured and interpolated times from the curve's held-out error, for the roofline from
/// the errors of data-sheet rooflines.
struct KernelTime {
    Estimate time;
    Evidence evidence = Evidence::data_sheet;
};

/// `precision` must be one that the device supports, unless the kernel is a stream or a gather. `library`: whose kernels
/// of attention, where the profile has them of several.
KernelTime kernel_time(const cluster::Device& device, const graph::Kernel& kernel, Precision precision,
                       cluster::AttentionLibrary library = cluster::AttentionLibrary::flash_attention_2);

/// Bytes a kernel moves in device memory at this precision.
Bytes moved_bytes(const graph::Kernel& kernel, Precision precision);

/// Time of a pass over `bytes` of device memory (the update, a local reduction).
KernelTime stream_time(const cluster::Device& device, Bytes bytes);

}  // namespace dodona::cost
