// Fits to measured kernels: a few parameters, relative to the data sheet, for kernels of all shapes.
//
// The equation is in cost/kernel_fit.hpp. Parameters are relative to the data sheet of the device that uses the
// profile, so devices with the same chip (more memory, another board) can share one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "cluster/attention_library.hpp"
#include "graph/kernel.hpp"

namespace dodona::cluster {

/// Source of a measured number.
struct Provenance {
    std::string source;      ///< paper, repository or program
    std::string date;        ///< ISO 8601; may be empty
    std::string conditions;  ///< clocks, driver, library versions
    bool operator==(const Provenance&) const = default;
};

/// Range of the measured kernels.
struct FitSpan {
    double least = 0;
    double most = 0;
    bool operator==(const FitSpan&) const = default;
};

/// Errors of a fit on rows that were held out of it.
struct FitError {
    double median = 0;  ///< of |predicted / measured - 1|
    double p90 = 0;
    double low = 1;   ///< 5th percentile of measured / predicted
    double high = 1;  ///< 95th percentile
    bool operator==(const FitError&) const = default;
};

/// Passes of a benchmark that quantise the input of narrow products. The fit subtracts them; predictions do not contain
/// them, since casts of training belong to the framework (plan/framework.hpp).
struct InputCast {
    Seconds start;     ///< of its kernels
    double bytes = 0;  ///< moved per element of the input (m*k), at full memory bandwidth
    bool operator==(const InputCast&) const = default;
};

/// One fitted model. Streams and gathers use only `start`, `memory` and `bytes`.
struct KernelFit {
    graph::KernelKind kind = graph::KernelKind::matmul;
    Precision precision = Precision::fp16;              ///< of streams and gathers: any
    std::optional<graph::Direction> direction;          ///< none: of any pass
    std::optional<AttentionLibrary> attention_library;  ///< of attention: whose kernels; none: not stated
    Seconds start;                                      ///< t0 of one kernel on the device
    double compute = 1;                                 ///< share of the peak that the best tile with deep k reaches
    double edge = 0;                                    ///< in rows: extra cost of smaller tiles; of attention in keys
    double ramp = 0;                                    ///< depth of k that prologue and epilogue of a tile cost
    double tail = 1;                                    ///< share of the last wave's idle time that counts
    double memory = 1;                                  ///< share of the memory bandwidth
    double overlap = 8;      ///< exponent that combines compute and memory: 1 is the sum, 8 nearly the maximum
    double window_gain = 1;  ///< factor of arithmetic that convolutions with overlapping windows save
    double backward = 1;     ///< time of a backward product over that of a forward one
    std::optional<InputCast> benchmark_cast;  ///< of the benchmark, not of the product
    FitSpan side, depth, work, bytes;         ///< ranges of m and n, k, operations, and bytes of streams and gathers
    std::int64_t rows = 0;                    ///< number of measured kernels in the fit
    FitError error;
    Provenance provenance;
    bool operator==(const KernelFit&) const = default;
};

/// The fits of one device or of a similar one.
struct Profile {
    std::string name;
    std::string source;
    std::vector<KernelFit> fits;
    std::optional<double> best;  ///< share of the peak that the best of large products reached there, where known
    bool borrowed = false;       ///< measured on another device: intervals widen
    bool operator==(const Profile&) const = default;
};

}  // namespace dodona::cluster
