// What a fit to measured kernels knows about a device: a few shares of its data sheet that hold for all shapes.
//
// The equation that the parameters belong to stands in cost/kernel_fit.hpp. Shares are of the data sheet of the device
// that the profile is used with, so that devices of one chip (more memory, another board) can share a profile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "graph/kernel.hpp"

namespace dodona::cluster {

/// Where a measured number comes from.
struct Provenance {
    std::string source;      ///< paper, repository or program
    std::string date;        ///< ISO 8601; may be empty
    std::string conditions;  ///< clocks, driver, library versions
    bool operator==(const Provenance&) const = default;
};

/// What the measured kernels spanned.
struct FitSpan {
    double least = 0;
    double most = 0;
    bool operator==(const FitSpan&) const = default;
};

/// How far measured times are from predicted ones, on rows that the fit did not see.
struct FitError {
    double median = 0;  ///< of |predicted / measured - 1|
    double p90 = 0;
    double low = 1;   ///< 5 % of measured / predicted are below
    double high = 1;  ///< 5 % are above
    bool operator==(const FitError&) const = default;
};

/// What a benchmark of narrow products did besides: it quantised the input, in passes of its own. Known so that the
/// product is what remains; no answer contains it, since what training casts is the software's (plan/framework.hpp).
struct InputCast {
    Seconds start;     ///< of its kernels
    double bytes = 0;  ///< moved an element of the input (m*k), at the whole memory bandwidth
    bool operator==(const InputCast&) const = default;
};

/// One fitted model. Of a stream or gather only `start`, `memory` and `bytes` count.
struct KernelFit {
    graph::KernelKind kind = graph::KernelKind::matmul;
    Precision precision = Precision::fp16;      ///< of streams and gathers: any
    std::optional<graph::Direction> direction;  ///< none: of any pass
    Seconds start;                              ///< t0: on the device, of one kernel
    double compute = 1;                         ///< share of the peak that the best, deep tile reaches
    double edge = 0;                            ///< rows: what smaller tiles cost more; of attention keys
    double ramp = 0;                            ///< depth that a tile takes for its beginning and end
    double tail = 1;                            ///< share of the last wave's idle part that is waited for
    double memory = 1;                          ///< share of the memory bandwidth
    double overlap = 8;                         ///< exponent that joins both: 1 adds them, 8 is nearly the larger
    double window_gain = 1;                     ///< of a convolution whose windows overlap: less arithmetic
    double backward = 1;                        ///< time of a backward product over that of a forward one
    std::optional<InputCast> benchmark_cast;    ///< of the benchmark, not of the product
    FitSpan side, depth, work, bytes;           ///< of m and n; k; operations; bytes of streams and gathers
    std::int64_t rows = 0;                      ///< measured kernels that it was fitted to
    FitError error;
    Provenance provenance;
    bool operator==(const KernelFit&) const = default;
};

/// The fits of one device, or of one that resembles it.
struct Profile {
    std::string name;
    std::string source;
    std::vector<KernelFit> fits;
    bool borrowed = false;  ///< measured on another device: intervals widen
    bool operator==(const Profile&) const = default;
};

}  // namespace dodona::cluster
