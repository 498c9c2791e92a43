// Times of convolutions by an algorithm, from what a device has measured of it.
//
// Points of one layer differ in their samples N. Between two of them
//
//   t(N) = t1 (N / N1)^s,   s = log(t2 / t1) / log(N2 / N1)
//
// and beyond them the rate of the nearest stays: t(N) = t1 N / N1. The workspace is that of the next larger number of
// samples, since more never need much less; beyond the largest it grows with them.
#pragma once

#include <optional>

#include "base/estimate.hpp"
#include "cluster/device.hpp"
#include "cost/convolution.hpp"

namespace dodona::cost {

/// A pass by an algorithm.
struct ConvolutionPass {
    cluster::ConvolutionAlgorithm algorithm{};
    Precision precision{};
    graph::Direction direction{};
};

struct ConvolutionTime {
    Bytes workspace;
    Seconds time;
    Evidence evidence{};  ///< measured: with so many samples; else interpolated
};

/// From the first curve of the pass that has points of the layer; none without.
std::optional<ConvolutionTime> from_convolution_curves(const cluster::Device& device, const Convolution& convolution,
                                                       const ConvolutionPass& pass);

}  // namespace dodona::cost
