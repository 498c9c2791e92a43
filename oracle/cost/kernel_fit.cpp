#include "cost/kernel_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/roofline.hpp"

namespace dodona::cost {

namespace {

using cluster::KernelFit;
using graph::KernelKind;

/// Queries of one block of a fused attention: FlashAttention-2 (arXiv:2307.08691, section 3.3), blocks of 64 or 128.
constexpr double kQueryBlock = 128;

/// Heads are padded to a multiple of this many features: FlashAttention-2's kernels are built for 32, 64, 96, 128, ...
constexpr double kHeadStep = 32;

/// Widening of the log interval per octave outside the measured range. Our assumption.
constexpr double kWidenPerOctave = 0.25;

/// Half of the log interval of a fit applied to another precision or a similar device.
constexpr double kRelative = 0.25;

/// Distance that marks a fit of another kind of kernel.
constexpr int kOtherKind = 3;

bool is_stream(KernelKind kind) { return kind == KernelKind::stream || kind == KernelKind::gather; }

double waves(double blocks, double units, double tail) {
    const double w = blocks / units;
    return std::max(1.0, w + tail * (std::ceil(w) - w));
}

/// Rows of operands that a tile reads for each of its results and step of k.
double edge_of(const cluster::Tile& tile) { return 1.0 / tile.m + 1.0 / tile.n; }

/// Operations for which `parts` of a product in tiles of tm x tn occupy the device. `edge`: cost of the tile beyond
/// that of the best tile.
double in_tiles(const cluster::Device& device, const KernelFit& fit, const graph::Kernel& kernel,
                const cluster::Tile& tile, double edge, double parts) {
    const double units = device.multiprocessors;
    const double blocks = kernel.batch * std::ceil(kernel.m / tile.m) * std::ceil(kernel.n / tile.n) * parts;
    const double depth = kernel.k / parts;
    const double one = 2.0 * tile.m * tile.n * (depth + fit.ramp) * (1 + fit.edge * edge);
    return waves(blocks, units, fit.tail) * units * one;
}

/// Operations of the product's tiles and waves, at the share `compute` of the peak.
double tiled_work(const cluster::Device& device, const KernelFit& fit, const graph::Kernel& kernel,
                  double sums_as_work) {
    double best = std::numeric_limits<double>::infinity();
    double least_edge = best;
    for (const cluster::Tile& tile : device.tiles) {
        least_edge = std::min(least_edge, edge_of(tile));
    }
    for (const cluster::Tile& tile : device.tiles) {
        const double edge = edge_of(tile) - least_edge;
        double whole = in_tiles(device, fit, kernel, tile, edge, 1);
        for (double parts = 2; kernel.k / parts >= kLeastDepth && parts * sums_as_work < whole; parts *= 2) {
            whole = std::min(whole, in_tiles(device, fit, kernel, tile, edge, parts) + parts * sums_as_work);
        }
        best = std::min(best, whole);
    }
    return best;
}

/// How much more of its peak this device's best products reach than those of the device whose profile it borrows did; 1
/// where either is unknown.
double over_lender(const cluster::Device& device, Precision precision) {
    const std::optional<double> ours = device.best_share(precision);
    return device.profile.borrowed && device.profile.best && ours ? *ours / *device.profile.best : 1;
}

double padded(double extent, double step) { return std::ceil(extent / step) * step; }

/// Many products that are smaller than any that was measured: several blocks of them share a multiprocessor and hide each
/// other's start, so that only what instructions compute in vain is left beside the operands.
bool is_many_small(const cluster::Device& device, const KernelFit& fit, const graph::Kernel& kernel) {
    return kernel.kind == KernelKind::matmul && kernel.batch > device.multiprocessors &&
           std::min(kernel.m, kernel.n) < fit.side.least;
}

double in_instructions(const graph::Kernel& kernel) {
    return 2 * kernel.batch * padded(kernel.m, kInstructionRows) * padded(kernel.n, kInstructionColumns) *
           padded(kernel.k, kInstructionDepth);
}

double attention_work(const cluster::Device& device, const KernelFit& fit, const graph::Kernel& kernel) {
    const double units = device.multiprocessors;
    const double blocks = kernel.batch * std::ceil(kernel.m / kQueryBlock);
    const double features = padded(kernel.k, kHeadStep);
    const double one = 2 * kQueryBlock * (kernel.n + fit.edge) * (features + fit.ramp);
    return waves(blocks, units, fit.tail) * units * one;
}

/// Operations that take as long as the product at a rate, in tiles, blocks or instructions that are not full.
double work_of(const cluster::Device& device, const KernelFit& fit, const graph::Kernel& kernel, FlopPerSecond rate) {
    if (kernel.kind == KernelKind::attention) {
        return attention_work(device, fit, kernel);
    }
    if (is_many_small(device, fit, kernel)) {
        return in_instructions(kernel);
    }
    const Seconds sums = partial_sums(device, kernel) * (1 / fit.memory);
    return tiled_work(device, fit, kernel, sums / (1.0 * unit::flop / rate));
}

/// How many times less arithmetic a convolution with an overlapping window takes.
double window_gain(const cluster::Device& device, const KernelFit& fit, Precision precision) {
    return fit.kind == KernelKind::convolution ? fit.window_gain : window_saving(device, precision);
}

Seconds compute_time(const cluster::Device& device, const KernelFit& fit, const graph::Kernel& kernel,
                     Precision precision) {
    const double clock = kernel.kind == KernelKind::attention ? 1 : device.sustained;
    const FlopPerSecond rate = clock * over_lender(device, precision) * fit.compute * device.peak(precision);
    const double plain = 2 * kernel.m * kernel.n * kernel.k * kernel.batch;
    if (plain <= 0 || device.tiles.empty()) {
        return kernel.flops / rate;
    }
    const double work = work_of(device, fit, kernel, rate);
    const double gain = has_overlapping_window(kernel) ? window_gain(device, fit, precision) : 1;
    const Seconds tiled = kernel.flops * (work / plain / gain) / rate;
    if (std::min(kernel.m, kernel.n) < kInstructionColumns && device.vector > FlopPerSecond{}) {
        return min(tiled, kernel.flops / (fit.compute * device.vector));
    }
    return tiled;
}

/// (a^p + b^p)^(1/p) without underflow.
Seconds joined(Seconds a, Seconds b, double p) {
    const Seconds larger = max(a, b);
    if (min(a, b) <= Seconds{}) {
        return larger;
    }
    return std::pow(1 + std::pow(min(a, b) / larger, p), 1 / p) * larger;
}

/// Distance between the precision of a fit and the one asked for: 0 equal, 1 same units, 2 related; none: unrelated.
int distance(const cluster::Device& device, Precision fitted, Precision asked) {
    const auto half = [](Precision p) { return p == Precision::fp16 || p == Precision::bf16; };
    if (fitted == asked) {
        return 0;
    }
    if (half(fitted) && half(asked)) {
        return 1;
    }
    // Where fp16 is no faster than fp32, kernels store fp16 and compute in fp32.
    if (fitted == Precision::fp32 && half(asked) && device.peak(asked) <= device.peak(Precision::fp32)) {
        return 2;
    }
    // Other precisions of the matrix units; fp32 outside them only for itself.
    const bool eighth = fitted == Precision::fp8 && (asked == Precision::mxfp8 || asked == Precision::nvfp4);
    return eighth || (half(fitted) && asked == Precision::tf32) ? 2 : -1;
}

double octaves_outside(const cluster::FitSpan& span, double value) {
    if (span.most <= 0 || value <= 0) {
        return 0;
    }
    return std::max({0.0, std::log2(span.least / value), std::log2(value / span.most)});
}

double octaves_outside(const KernelFit& fit, const graph::Kernel& kernel, Precision precision) {
    if (is_stream(fit.kind)) {
        return octaves_outside(fit.bytes, moved_bytes(kernel, precision).in(unit::byte));
    }
    return octaves_outside(fit.side, std::min(kernel.m, kernel.n)) +
           octaves_outside(fit.side, std::max(kernel.m, kernel.n)) + octaves_outside(fit.depth, kernel.k) +
           octaves_outside(fit.work, kernel.flops.in(unit::flop));
}

/// Pooled look-ups read rows as passes read memory (the fused kernels of FBGEMM and HugeCTR), unlike the look-ups of
/// PyTorch's embedding that the fits are of.
KernelKind fitted_kind(const graph::Kernel& kernel) { return kernel.pooled ? KernelKind::stream : kernel.kind; }

/// Whether a fit of one kind says how long a kernel of another takes: a convolution that has no fit of its own takes as
/// long as its implicit product.
bool answers(KernelKind fitted, KernelKind asked) {
    return fitted == asked || (fitted == KernelKind::matmul && asked == KernelKind::convolution);
}

struct Candidate {
    const KernelFit* fit = nullptr;
    double octaves = 0;
    int distance = 0;
    bool directed = false;
    bool foreign = false;  ///< of another library than asked

    /// Prefers fits of the same library, of the same kind, in range, of the same precision, of the same direction; out of
    /// range the nearest.
    [[nodiscard]] bool before(const Candidate& other) const {
        if (other.fit != nullptr && foreign != other.foreign) {
            return !foreign;
        }
        if (other.fit != nullptr && (distance == kOtherKind) != (other.distance == kOtherKind)) {
            return distance != kOtherKind;
        }
        if (other.fit == nullptr || (octaves > 0) != (other.octaves > 0)) {
            return other.fit == nullptr || octaves <= 0;
        }
        if (distance != other.distance) {
            return distance < other.distance;
        }
        return directed != other.directed ? directed : octaves < other.octaves;
    }
};

Candidate best_fit(const cluster::Device& device, const graph::Kernel& kernel, Precision precision,
                   cluster::AttentionLibrary library) {
    Candidate best;
    for (const KernelFit& fit : device.profile.fits) {
        const int near = is_stream(kernel.kind) ? 0 : distance(device, fit.precision, precision);
        const int far = near < 0 || fit.kind == kernel.kind || is_stream(fit.kind) ? near : kOtherKind;
        if (!answers(fit.kind, fitted_kind(kernel)) || far < 0 ||
            (fit.direction && *fit.direction != kernel.direction)) {
            continue;
        }
        const double octaves = far == kOtherKind ? 0 : octaves_outside(fit, kernel, precision);
        const Candidate one{&fit, octaves, far, fit.direction.has_value(),
                            fit.attention_library.value_or(library) != library};
        if (one.before(best)) {
            best = one;
        }
    }
    return best;
}

}  // namespace

Seconds fitted_seconds(const cluster::Device& device, const KernelFit& fit, const graph::Kernel& kernel,
                       Precision precision) {
    const Seconds memory = moved_bytes(kernel, precision) / (fit.memory * device.memory_bandwidth);
    if (is_stream(kernel.kind)) {
        const bool counts = kernel.kind == KernelKind::stream && device.vector > FlopPerSecond{};
        return fit.start + (counts ? max(memory, kernel.flops / device.vector) : memory);
    }
    const Seconds busy = joined(compute_time(device, fit, kernel, precision), memory, fit.overlap);
    return fit.start + (kernel.direction == graph::Direction::forward ? 1 : fit.backward) * busy;
}

Seconds benchmark_seconds(const cluster::Device& device, const KernelFit& fit, const graph::Kernel& kernel,
                          Precision precision) {
    const Seconds product = fitted_seconds(device, fit, kernel, precision);
    if (!fit.benchmark_cast) {
        return product;
    }
    const Bytes moved = Bytes::of_base(fit.benchmark_cast->bytes * kernel.batch * kernel.m * kernel.k);
    return product + fit.benchmark_cast->start + moved / device.memory_bandwidth;
}

std::optional<double> most_of_peak(const cluster::Device& device, KernelKind kind, Precision precision) {
    std::optional<double> most;
    for (const KernelFit& fit : device.profile.fits) {
        const int near = is_stream(kind) ? 0 : distance(device, fit.precision, precision);
        if (!answers(fit.kind, kind) || near < 0) {
            continue;
        }
        const double clock = kind == KernelKind::attention ? 1 : device.sustained;
        const double gain = kind == KernelKind::convolution ? std::max(1.0, window_gain(device, fit, precision)) : 1;
        const double share = is_stream(kind) ? fit.memory : clock * over_lender(device, precision) * fit.compute * gain;
        most = std::max(most.value_or(0), share);
    }
    return most;
}

std::optional<KernelTime> from_fits(const cluster::Device& device, const graph::Kernel& kernel, Precision precision,
                                    cluster::AttentionLibrary library) {
    const Candidate best = best_fit(device, kernel, precision, library);
    if (best.fit == nullptr) {
        return std::nullopt;
    }
    const Seconds time = kernel.times * fitted_seconds(device, *best.fit, kernel, precision);
    const bool relative = best.distance > 1 || device.profile.borrowed;
    const double wider = 1 + kWidenPerOctave * best.octaves;
    const double low = std::pow(std::min(1.0, best.fit->error.low), wider) * (relative ? std::exp(-kRelative) : 1);
    const double high = std::pow(std::max(1.0, best.fit->error.high), wider) * (relative ? std::exp(kRelative) : 1);
    return KernelTime{{time, low * time, high * time},
                      best.octaves > 0 || relative ? Evidence::extrapolated : Evidence::fitted};
}

}  // namespace dodona::cost
