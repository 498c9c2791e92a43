// A device as its data sheet describes it, and the schema of what was measured on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "cluster/kernel_fit.hpp"
#include "graph/kernel.hpp"

namespace dodona::cluster {

/// One measured kernel. Of attention: m queries, n keys, heads of k, batch * heads; forward, the whole square.
struct KernelPoint {
    double m = 0, n = 0, k = 0, batch = 1;  ///< for stream and gather kernels only `bytes` and `flops` count
    Bytes bytes;                            ///< moved in device memory; zero: operands and result once
    Flop flops;                             ///< zero: of a product those of its extents, of a pass any
    Seconds time;
    bool operator==(const KernelPoint&) const = default;
};

/// Points of one kernel kind at one precision. Between them efficiency is interpolated in log space, relative to the
/// device's fit of such kernels or the tile-quantised roofline; outside their range these answer. A pass (stream,
/// gather) with `flops` answers for passes of exactly its bytes and operations.
struct KernelCurve {
    graph::KernelKind kind = graph::KernelKind::matmul;
    Precision precision = Precision::fp16;
    std::optional<graph::Direction> direction;  ///< none: of any pass
    bool exact = false;                         ///< of passes: nothing between the points
    std::vector<KernelPoint> points;
    double held_out_error = 0.0;  ///< p90 of |predicted - measured| / measured on held-out points, a ratio
    Provenance provenance;
    bool operator==(const KernelCurve&) const = default;
};

struct Tile {
    int m = 128;
    int n = 128;
    bool operator==(const Tile&) const = default;
};

struct Device {
    std::string name;
    std::string source;
    Bytes memory;                               ///< physical device memory
    BytesPerSecond memory_bandwidth;            ///< one device, data sheet
    int multiprocessors = 1;                    ///< SMs: how many tiles run at once
    std::map<Precision, FlopPerSecond> matrix;  ///< dense matrix-product peak by precision
    FlopPerSecond vector;                       ///< fp32 outside matrix units
    std::vector<Tile> tiles;                    ///< output tiles of the matrix kernels
    Seconds launch;                             ///< shortest time between two kernels on one stream
    double sustained = 1;                       ///< rate of products in continuous use over that in a short benchmark
    Bytes context;                              ///< memory the runtime takes before the first tensor
    std::vector<KernelCurve> curves;            ///< measured points; they come before the profile
    Profile profile;                            ///< fitted to measured kernels; without fits: data sheet only

    [[nodiscard]] FlopPerSecond peak(Precision precision) const;
    [[nodiscard]] bool supports(Precision precision) const;
    bool operator==(const Device&) const = default;
};

}  // namespace dodona::cluster
