// A device: its data sheet and what was measured on it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "cluster/compression_curve.hpp"
#include "cluster/convolution_curve.hpp"
#include "cluster/kernel_curve.hpp"
#include "cluster/kernel_fit.hpp"
#include "cluster/maker.hpp"
#include "cluster/thread_times.hpp"
#include "graph/kernel.hpp"

namespace dodona::cluster {

struct Tile {
    int m = 128;
    int n = 128;
    bool operator==(const Tile&) const = default;
};

/// What is taken for a device whose file does not say it. A kernel without measurements takes 0.95 to 1.8 times its
/// roofline (cost/device_time.cpp), which is more than these can make.
/// Tiles: NVIDIA, Matrix Multiplication Background User's Guide, Typical Tile Dimensions in cuBLAS. Launch: NVIDIA
/// developer forum, thread 233645, about 3 us for null kernels on recent hardware. Context: between 400 MB (pytorch/pytorch
/// issue 109888) and 612 MiB (unslothai/unsloth pull request 8669) on CUDA devices.
struct DeviceDefaults {
    std::vector<Tile> tiles{{256, 128}, {128, 256}, {128, 128}, {256, 64}, {64, 256}, {128, 64}, {64, 128}, {64, 64}};
    Seconds launch = 3_us;
    Bytes context = 512_MiB;
};

struct Device {
    std::string name;
    std::string family;  ///< "NVIDIA Ada": for lists and searches; who makes it comes first
    std::string source;
    Bytes memory;                                 ///< physical device memory
    BytesPerSecond memory_bandwidth;              ///< one device, data sheet
    int multiprocessors = 1;                      ///< SMs: tiles that run concurrently
    std::map<Precision, FlopPerSecond> matrix;    ///< dense matrix-product peak by precision
    std::map<Precision, FlopPerSecond> achieved;  ///< what the best of large products reach, where measured
    FlopPerSecond vector;                         ///< fp32 outside matrix units
    std::vector<Tile> tiles;                      ///< output tiles of the matrix kernels
    Seconds launch;                               ///< shortest time between two kernels on one stream
    double sustained = 1;                         ///< rate of products in continuous use over that of a short benchmark
    Bytes context;                                ///< memory of the runtime before the first tensor
    std::vector<KernelCurve> curves;              ///< measured points, used before the profile
    std::vector<CompressionCurve> compressions;   ///< measured kernels of exchanges, at most one curve of a kind
    std::vector<ConvolutionCurve> convolutions;   ///< measured by algorithm
    std::optional<ThreadTimes> threads;           ///< of a CPU, measured
    Profile profile;                              ///< fits to measured kernels; empty: data sheet only
    bool typical = false;  ///< kernels of kinds without a fit miss the data sheet as those of other devices do

    [[nodiscard]] std::optional<Maker> maker() const;  ///< none: the file names no family
    [[nodiscard]] FlopPerSecond peak(Precision precision) const;
    /// Share of the peak that the best of large products reach; none where that was not measured. Clocks and power hold
    /// back all products of matrix units alike, so that a precision without a figure takes that of 16 bits; fp32 does not.
    [[nodiscard]] std::optional<double> best_share(Precision precision) const;
    /// Rate of large products: `best_share` of the peak, else the peak.
    [[nodiscard]] FlopPerSecond product_rate(Precision precision) const;
    [[nodiscard]] bool supports(Precision precision) const;
    bool operator==(const Device&) const = default;
};

}  // namespace dodona::cluster
