#include "cost/kernel_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cost/interval.hpp"
#include "cost/kernel_fit.hpp"
#include "cost/roofline.hpp"

namespace dodona::cost {

namespace {

constexpr std::size_t kNeighbours = 4;
constexpr double kMargin = 2;  ///< an octave beyond the points

/// For curves without a held-out error. Assumed: as large as the 90th percentile of what fits to DeepBench's products
/// in fp32 miss, 0.38 to 0.50 (hardware/profiles: GTX 1080 Ti, P100, T4, Titan X, V100).
constexpr double kKernelError = 0.45;

bool is_product(graph::KernelKind kind) {
    return kind != graph::KernelKind::stream && kind != graph::KernelKind::gather;
}

/// Equality up to rounding, of numbers that are not negative.
bool equal(double a, double b) { return std::abs(a - b) <= 1e-9 * b; }

/// max(a/b, b/a): exponential of the distance in log space; 1 if equal.
double ratio(double a, double b) { return equal(a, b) ? 1 : std::max(a / b, b / a); }

double distance(const graph::Kernel& kernel, const cluster::KernelPoint& point) {
    return ratio(kernel.m, point.m) * ratio(kernel.n, point.n) * ratio(kernel.k, point.k) *
           ratio(kernel.batch, point.batch);
}

/// The kernel that a point measured.
graph::Kernel kernel_of(graph::KernelKind kind, const cluster::KernelPoint& point) {
    graph::Kernel kernel = graph::matmul(point.m, point.n, point.k, point.batch);
    kernel.kind = kind;
    if (kind == graph::KernelKind::attention) {
        kernel.flops *= 2;
        kernel.elements = point.batch * 2 * (point.m + point.n) * point.k;
    }
    if (point.bytes > Bytes{}) {
        kernel.elements = 0;
        kernel.fixed_bytes = point.bytes;
    }
    if (point.flops > Flop{}) {
        kernel.flops = point.flops;
    }
    return kernel;
}

struct Range {
    double lo = std::numeric_limits<double>::infinity();
    double hi = -std::numeric_limits<double>::infinity();
    void take(double value) {
        lo = std::min(lo, value);
        hi = std::max(hi, value);
    }
    [[nodiscard]] bool covers(double value) const { return lo / kMargin <= value && value <= hi * kMargin; }
};

struct Neighbour {
    double distance = std::numeric_limits<double>::infinity();  ///< exponential of the distance: 1 for the same shape
    const cluster::KernelPoint* point = nullptr;
};

/// Whether the point measured exactly this kernel, given equal extents.
bool same_work(const graph::Kernel& kernel, const cluster::KernelCurve& curve, const cluster::KernelPoint& point) {
    const Bytes moved = moved_bytes(kernel, curve.precision);
    return equal(kernel.flops / kernel_of(curve.kind, point).flops, 1) &&
           (point.bytes <= Bytes{} || equal(moved / point.bytes, 1));
}

/// Time of a kernel without points: by the device's fit or the roofline.
Seconds ideal(const cluster::Device& device, graph::Kernel kernel, Precision precision) {
    kernel.times = 1;
    if (const auto fitted = from_fits(device, kernel, precision)) {
        return fitted->time.value;
    }
    return roofline(device, kernel, precision);
}

/// The nearest points, nearest first; of equally near ones the earlier point comes first.
class Nearest {
public:
    void take(double distance, const cluster::KernelPoint& point) {
        if (distance >= best_.back().distance) {
            return;
        }
        std::size_t at = kNeighbours - 1;
        for (; at > 0 && distance < best_[at - 1].distance; --at) {
            best_[at] = best_[at - 1];
        }
        best_[at] = {distance, &point};
    }
    [[nodiscard]] const std::array<Neighbour, kNeighbours>& all() const { return best_; }

private:
    std::array<Neighbour, kNeighbours> best_{};
};

double error_of(const cluster::KernelCurve& curve) {
    return curve.held_out_error > 0 ? curve.held_out_error : kKernelError;
}

KernelTime measured(const cluster::KernelCurve& curve, Seconds time) {
    return {within(time, curve.held_out_error), Evidence::measured};
}

std::optional<KernelTime> from_products(const cluster::Device& device, const cluster::KernelCurve& curve,
                                        const graph::Kernel& kernel) {
    Range m, n, k, batch;
    Nearest nearest;
    for (const cluster::KernelPoint& point : curve.points) {
        m.take(point.m);
        n.take(point.n);
        k.take(point.k);
        batch.take(point.batch);
        nearest.take(distance(kernel, point), point);
    }
    const Neighbour& first = nearest.all().front();
    if (!m.covers(kernel.m) || !n.covers(kernel.n) || !k.covers(kernel.k) || !batch.covers(kernel.batch)) {
        return std::nullopt;
    }
    const bool same_shape = first.distance == 1;
    for (const Neighbour& neighbour : nearest.all()) {
        if (neighbour.distance == 1 && same_work(kernel, curve, *neighbour.point)) {
            return measured(curve, neighbour.point->time);
        }
    }
    double weights = 0;
    double efficiency = 0;
    for (const Neighbour& neighbour : nearest.all()) {
        if (neighbour.point == nullptr || (same_shape && weights > 0)) {
            break;
        }
        const double far = std::log(neighbour.distance);
        const double weight = same_shape ? 1 : 1 / (far * far);
        graph::Kernel like = kernel_of(curve.kind, *neighbour.point);
        like.direction = kernel.direction;
        like.window = kernel.window;
        weights += weight;
        efficiency += weight * std::log(ideal(device, like, curve.precision) / neighbour.point->time);
    }
    const Seconds time = ideal(device, kernel, curve.precision) / std::exp(efficiency / weights);
    return KernelTime{within(time, error_of(curve)), Evidence::interpolated};
}

std::optional<KernelTime> from_bytes(const cluster::Device& device, const cluster::KernelCurve& curve, Bytes bytes,
                                     Flop flops) {
    Range range;
    Neighbour below, above;
    const double size = bytes.in(unit::byte);
    for (const cluster::KernelPoint& point : curve.points) {
        const double measured_size = point.bytes.in(unit::byte);
        const bool same_flops = equal(flops.in(unit::flop), point.flops.in(unit::flop));
        if (equal(measured_size, size) && (!curve.exact || same_flops)) {
            return measured(curve, point.time);
        }
        range.take(measured_size);
        Neighbour& side = measured_size < size ? below : above;
        const double far = ratio(measured_size, size);
        if (far < side.distance) {
            side = {far, &point};
        }
    }
    if (curve.exact || !range.covers(size)) {
        return std::nullopt;
    }
    double weights = 0;
    double efficiency = 0;
    for (const Neighbour& side : {below, above}) {
        if (side.point != nullptr) {
            const double weight = 1 / std::log(side.distance);
            weights += weight;
            efficiency += weight * std::log(stream_roofline(device, side.point->bytes, Flop{}) / side.point->time);
        }
    }
    const Seconds memory = stream_roofline(device, bytes, Flop{}) / std::exp(efficiency / weights);
    const Flop computed = curve.kind == graph::KernelKind::stream ? flops : Flop{};
    const Seconds time = max(memory, stream_roofline(device, Bytes{}, computed));
    return KernelTime{within(time, error_of(curve)), Evidence::interpolated};
}

}  // namespace

std::optional<KernelTime> from_curves(const cluster::Device& device, const graph::Kernel& kernel, Precision precision) {
    const bool product = is_product(kernel.kind);
    for (const cluster::KernelCurve& curve : device.curves) {
        if (curve.kind != kernel.kind || (product && curve.precision != precision) ||
            (curve.direction && *curve.direction != kernel.direction)) {
            continue;
        }
        const auto found = product ? from_products(device, curve, kernel)
                                   : from_bytes(device, curve, moved_bytes(kernel, precision), kernel.flops);
        if (found) {
            return found;
        }
    }
    return std::nullopt;
}

cluster::KernelCurve moved(cluster::KernelCurve curve, const cluster::Device& was, const cluster::Device& is) {
    const bool product = is_product(curve.kind);
    for (cluster::KernelPoint& point : curve.points) {
        const auto best = [&](const cluster::Device& device) {
            return product ? ideal(device, kernel_of(curve.kind, point), curve.precision)
                           : stream_roofline(device, point.bytes, point.flops);
        };
        point.time *= best(is) / best(was);
    }
    return curve;
}

}  // namespace dodona::cost
