// Times of kernels from a device's measured points.
//
// Points of products (matmul, convolution, attention) differ in m, n, k and batch, those of streams and gathers in
// bytes. The distance of two shapes is |log a/b| summed over the extents. Inside the bounding box of the points, an
// octave wider on every side,
//
//   t = ideal(kernel) / e,   log e = sum_j w_j log e_j / sum_j w_j,   w_j = d_j^-2,   e_j = ideal_j / t_j
//
// over the four nearest points; for streams over the two points around it with w_j = 1/d_j, which is linear
// interpolation. `ideal` is the device's fit of such kernels where its profile has one, else the roofline. Outside the
// box points do not apply; those of an exact curve apply only to their own shapes. A point of a product is
// 2*m*n*k*batch operations, of attention a forward pass over the whole square: 4*m*n*k*batch (m queries, n keys, heads
// of k). A kernel of the same shape that does other work (causal, backward) takes the efficiency of that point, not its
// time. Source: Shepard, "A two-dimensional interpolation function for irregularly-spaced data", ACM National
// Conference 1968, for weights by inverse distance; kernel_fit.hpp for tile and wave quantisation.
#pragma once

#include <optional>

#include "base/precision.hpp"
#include "cluster/device.hpp"
#include "cost/device_time.hpp"
#include "graph/kernel.hpp"

namespace dodona::cost {

/// The measured or interpolated time; none if no curve of the device covers the kernel. Does not allocate.
std::optional<KernelTime> from_curves(const cluster::Device& device, const graph::Kernel& kernel, Precision precision);

/// The curve adjusted to a changed device: every point keeps its efficiency e = roofline / t.
cluster::KernelCurve moved(cluster::KernelCurve curve, const cluster::Device& was, const cluster::Device& is);

}  // namespace dodona::cost
