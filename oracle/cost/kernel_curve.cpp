#include "cost/kernel_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cost/interval.hpp"
#include "cost/roofline.hpp"

namespace dodona::cost {

namespace {

constexpr std::size_t kNeighbours = 4;
constexpr double kMargin = 2;  ///< an octave beyond the points

/// The p90 error of nearest neighbours over public kernel tables (CALIBRATION, "How to fit"), for curves that come
/// without a held-out error of their own.
constexpr double kUnknownError = 0.45;

bool is_product(graph::KernelKind kind) {
    return kind != graph::KernelKind::stream && kind != graph::KernelKind::gather;
}

/// max(a/b, b/a): the exponential of the distance in log space; 1 for equals.
double ratio(double a, double b) { return a == b ? 1 : std::max(a / b, b / a); }

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
    return kernel;
}

struct Range {
    double lo = std::numeric_limits<double>::infinity();
    double hi = 0;
    void take(double value) {
        lo = std::min(lo, value);
        hi = std::max(hi, value);
    }
    [[nodiscard]] bool covers(double value) const { return lo / kMargin <= value && value <= hi * kMargin; }
};

struct Neighbour {
    double distance = std::numeric_limits<double>::infinity();  ///< of the exponential kind: 1 is the same shape
    const cluster::KernelPoint* point = nullptr;
};

bool same_work(const graph::Kernel& a, const graph::Kernel& b) { return std::abs(a.flops / b.flops - 1) < 1e-9; }

/// The nearest points so far, nearest first; the earlier point wins a tie.
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
    return curve.held_out_error > 0 ? curve.held_out_error : kUnknownError;
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
    if (first.point == nullptr || !m.covers(kernel.m) || !n.covers(kernel.n) || !k.covers(kernel.k) ||
        !batch.covers(kernel.batch)) {
        return std::nullopt;
    }
    const bool same_shape = first.distance == 1;
    if (same_shape && same_work(kernel, kernel_of(curve.kind, *first.point))) {
        return measured(curve, first.point->time);
    }
    double weights = 0;
    double efficiency = 0;
    for (const Neighbour& neighbour : nearest.all()) {
        if (neighbour.point == nullptr || (same_shape && weights > 0)) {
            break;
        }
        const double far = std::log(neighbour.distance);
        const double weight = same_shape ? 1 : 1 / (far * far);
        const Seconds ideal = roofline(device, kernel_of(curve.kind, *neighbour.point), curve.precision);
        weights += weight;
        efficiency += weight * std::log(ideal / neighbour.point->time);
    }
    const Seconds time = roofline(device, kernel, curve.precision) / std::exp(efficiency / weights);
    return KernelTime{within(time, error_of(curve)), Evidence::interpolated};
}

std::optional<KernelTime> from_bytes(const cluster::Device& device, const cluster::KernelCurve& curve, Bytes bytes,
                                     Flop flops) {
    Range range;
    Neighbour below, above;
    const double size = bytes.in(unit::byte);
    for (const cluster::KernelPoint& point : curve.points) {
        const double measured_size = point.bytes.in(unit::byte);
        if (measured_size == size) {
            return measured(curve, point.time);
        }
        range.take(measured_size);
        Neighbour& side = measured_size < size ? below : above;
        const double far = ratio(measured_size, size);
        if (far < side.distance) {
            side = {far, &point};
        }
    }
    if (!range.covers(size)) {
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
    const Seconds time = max(memory, stream_roofline(device, Bytes{}, flops));
    return KernelTime{within(time, error_of(curve)), Evidence::interpolated};
}

}  // namespace

std::optional<KernelTime> from_curves(const cluster::Device& device, const graph::Kernel& kernel, Precision precision) {
    const bool product = is_product(kernel.kind);
    if (product && kernel.m <= 0) {
        return std::nullopt;
    }
    for (const cluster::KernelCurve& curve : device.curves) {
        if (curve.kind != kernel.kind || (product && curve.precision != precision)) {
            continue;
        }
        const Flop flops = kernel.kind == graph::KernelKind::stream ? kernel.flops : Flop{};
        const auto found = product ? from_products(device, curve, kernel)
                                   : from_bytes(device, curve, moved_bytes(kernel, precision), flops);
        if (found) {
            return found;
        }
    }
    return std::nullopt;
}

cluster::KernelCurve moved(cluster::KernelCurve curve, const cluster::Device& was, const cluster::Device& is) {
    const bool product = is_product(curve.kind);
    for (cluster::KernelPoint& point : curve.points) {
        const auto ideal = [&](const cluster::Device& device) {
            return product ? roofline(device, kernel_of(curve.kind, point), curve.precision)
                           : stream_roofline(device, point.bytes, Flop{});
        };
        point.time *= ideal(is) / ideal(was);
    }
    return curve;
}

}  // namespace dodona::cost
