// The data sheet's answer for a kernel; the equation is in device_time.hpp.
#pragma once

#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "cluster/device.hpp"
#include "graph/kernel.hpp"

namespace dodona::cost {

/// How much more than its share of the device a product of these extents occupies, by whole tiles and whole waves:
/// >= 1.
double quantisation(const cluster::Device& device, double m, double n, double batch);

/// Of one of the kernel's `times`.
Seconds roofline(const cluster::Device& device, const graph::Kernel& kernel, Precision precision);

/// A kernel whose extents tell nothing: so many bytes, so many operations.
Seconds stream_roofline(const cluster::Device& device, Bytes bytes, Flop flops);

}  // namespace dodona::cost
