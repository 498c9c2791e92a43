#include "cost/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/device_time.hpp"

namespace dodona::cost {

namespace {

/// Time of the product, split along k where that is faster despite its partial sums.
Seconds product_time(const cluster::Device& device, const graph::Kernel& kernel, Precision precision) {
    const double saving = has_overlapping_window(kernel) ? window_saving(device, precision) : 1;
    const Seconds ideal = kernel.flops / (saving * device.product_rate(precision));
    if (kernel.m <= 0) {
        return ideal;
    }
    Seconds tiled = quantisation(device, kernel.m, kernel.n, kernel.batch) * ideal;
    const Seconds each = partial_sums(device, kernel);
    for (double parts = 2; kernel.k / parts >= kLeastDepth && parts * each < tiled; parts *= 2) {
        const double occupied = quantisation(device, kernel.m, kernel.n, kernel.batch * parts);
        tiled = min(tiled, occupied * ideal + parts * each);
    }
    if (std::min(kernel.m, kernel.n) < kInstructionColumns && device.vector > FlopPerSecond{}) {
        return min(tiled, kernel.flops / device.vector);
    }
    return tiled;
}

}  // namespace

Seconds partial_sums(const cluster::Device& device, const graph::Kernel& kernel) {
    const Bytes sums = kernel.batch * kernel.m * kernel.n * Bytes::of_base(4);
    return 2.0 * sums / device.memory_bandwidth;
}

double misalignment(const graph::Kernel& kernel, Precision precision) {
    constexpr double kOutside = 4;
    constexpr int kWord = 8;  // elements of two bytes in 16
    const bool half = precision == Precision::fp16 || precision == Precision::bf16;
    if (kernel.kind != graph::KernelKind::matmul || kernel.batch <= 1 || !half) {
        return 1;
    }
    if (std::min(kernel.m, kernel.n) < 2 * kInstructionRows) {  // a few instructions: bound by the operands
        return 1;
    }
    const auto whole = [](double extent) { return std::fmod(extent, kWord) == 0; };
    return whole(kernel.n) && whole(kernel.k) ? 1 : kOutside;
}

std::optional<FlopPerSecond> unaligned_rate(const cluster::Device& device, const graph::Kernel& kernel,
                                            Precision precision) {
    constexpr FlopPerSecond kOfMultiprocessor = 0.93_TFLOP_per_s;
    constexpr double kWord = 16;
    const bool units = !is_narrow(precision) && device.supports(precision) && device.peak(precision) > device.vector;
    if (kernel.kind != graph::KernelKind::matmul || kernel.batch > 1 || !units ||
        device.maker() != cluster::Maker::nvidia) {
        return std::nullopt;
    }
    // Rows of the weight, of the input and of the result: features of either side, never samples.
    const double other = kernel.direction == graph::Direction::backward_weight ? kernel.m : kernel.k;
    const double whole = kWord / stored_bytes(precision).in(unit::byte);
    double together = whole;
    while (together > 1 && (std::fmod(kernel.n, together) != 0 || std::fmod(other, together) != 0)) {
        together /= 2;
    }
    if (together >= whole) {
        return std::nullopt;
    }
    return together * static_cast<double>(device.multiprocessors) * kOfMultiprocessor;
}

bool has_overlapping_window(const graph::Kernel& kernel) {
    return kernel.kind == graph::KernelKind::convolution && kernel.window >= 4;
}

double window_saving(const cluster::Device& device, Precision precision) {
    constexpr double kMiddle = 1.8;
    const bool on_vector_units = precision == Precision::fp32 && device.peak(precision) <= device.vector;
    return device.maker() == cluster::Maker::nvidia && on_vector_units ? kMiddle : 1;
}

std::optional<double> instruction_rate(const cluster::Device& device) {
    constexpr double kSlowestClock = 0.9e9;  // below: the data sheet's rate is of half as many lanes
    constexpr double kFastestClock = 3e9;    // above: of two results a lane and clock
    const auto maker = device.maker();
    const double of_multiprocessor = maker == cluster::Maker::nvidia ? 128 : maker == cluster::Maker::amd ? 64 : 0;
    if (of_multiprocessor <= 0 || device.multiprocessors <= 0 || device.vector <= FlopPerSecond{}) {
        return std::nullopt;
    }
    const double lanes = of_multiprocessor * static_cast<double>(device.multiprocessors);
    const double clock = device.vector.in(unit::flop_per_second) / (2 * lanes);
    return lanes * (clock < kSlowestClock ? 2 * clock : clock > kFastestClock ? clock / 2 : clock);
}

double quantisation(const cluster::Device& device, double m, double n, double batch) {
    if (device.tiles.empty()) {
        return 1;
    }
    const double units = device.multiprocessors;
    double best = std::numeric_limits<double>::infinity();
    for (const cluster::Tile& tile : device.tiles) {
        const double tiles = batch * std::ceil(m / tile.m) * std::ceil(n / tile.n);
        const double occupied = std::ceil(tiles / units) * units * tile.m * tile.n;
        best = std::min(best, occupied / (batch * m * n));
    }
    return best;
}

Seconds roofline(const cluster::Device& device, const graph::Kernel& kernel, Precision precision) {
    const Bytes bytes = moved_bytes(kernel, precision);
    switch (kernel.kind) {
        case graph::KernelKind::matmul:
        case graph::KernelKind::convolution:
        case graph::KernelKind::recurrent:
        case graph::KernelKind::attention:
            return device.launch + max(product_time(device, kernel, precision), bytes / device.memory_bandwidth);
        case graph::KernelKind::stream: return stream_roofline(device, bytes, kernel.flops);
        case graph::KernelKind::gather: break;
    }
    return stream_roofline(device, bytes, Flop{});
}

Seconds stream_roofline(const cluster::Device& device, Bytes bytes, Flop flops) {
    const Seconds memory = bytes / device.memory_bandwidth;
    return device.launch + (device.vector > FlopPerSecond{} ? max(memory, flops / device.vector) : memory);
}

}  // namespace dodona::cost
