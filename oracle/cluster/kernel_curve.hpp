// Measured points of kernels.
#pragma once

#include <optional>
#include <vector>

#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "cluster/kernel_fit.hpp"
#include "graph/kernel.hpp"

namespace dodona::cluster {

/// One measured kernel. Attention has m queries, n keys, heads of size k and batch * heads in `batch`; forward,
/// unmasked.
struct KernelPoint {
    double m = 0, n = 0, k = 0, batch = 1;  ///< not used by streams and gathers
    Bytes bytes;                            ///< moved in device memory; zero: operands and result, each once
    Flop flops;                             ///< zero: for products from the extents, for passes any
    Seconds time;
    bool operator==(const KernelPoint&) const = default;
};

/// Measured points of one kernel kind at one precision. Between points the efficiency relative to the device's fit, or
/// to the tile-quantised roofline, is interpolated in log space; outside their range fit or roofline are used. A stream
/// or gather point with `flops` applies only to passes with exactly its bytes and operations.
struct KernelCurve {
    graph::KernelKind kind = graph::KernelKind::matmul;
    Precision precision = Precision::fp16;
    std::optional<graph::Direction> direction;  ///< none: any pass
    bool exact = false;                         ///< of streams and gathers: no interpolation between points
    std::vector<KernelPoint> points;
    double held_out_error = 0.0;  ///< 90th percentile of |predicted / measured - 1| on held-out points
    std::string doubt;            ///< why its times may be wrong; may be empty
    Provenance provenance;
    bool operator==(const KernelCurve&) const = default;
};

}  // namespace dodona::cluster
