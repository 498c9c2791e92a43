#include "cost/convolution_curve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/ranges.hpp"

namespace dodona::cost {

namespace {

using Point = cluster::ConvolutionCurve::Point;

bool is_of(const Point& point, const Convolution& c) {
    return point.groups == c.groups && point.channels == c.groups * c.channels &&
           point.filters == c.groups * c.filters && point.height == c.height && point.width == c.width &&
           point.rows == c.rows && point.columns == c.columns && point.kernel_height == c.kernel_height &&
           point.kernel_width == c.kernel_width;
}

/// Of one layer, by rising samples; of equal ones the first counts.
std::vector<Point> points_of(const cluster::ConvolutionCurve& curve, const Convolution& c) {
    auto found = filtered<Point>(curve.points, [&](const Point& point) { return is_of(point, c); });
    std::stable_sort(found.begin(), found.end(), [](const Point& a, const Point& b) { return a.samples < b.samples; });
    return found;
}

/// Domain: at least one point.
ConvolutionTime at_samples(const std::vector<Point>& points, double samples) {
    const auto above = find_if(points, [&](const Point& point) { return point.samples >= samples; });
    if (above == points.end()) {
        const double more = samples / points.back().samples;
        return {more * points.back().workspace, more * points.back().time, Evidence::interpolated};
    }
    if (above->samples == samples) {
        return {above->workspace, above->time, Evidence::measured};
    }
    if (above == points.begin()) {
        return {above->workspace, samples / above->samples * above->time, Evidence::interpolated};
    }
    const Point& below = *(above - 1);
    const double slope = std::log(above->time / below.time) / std::log(above->samples / below.samples);
    return {above->workspace, std::pow(samples / below.samples, slope) * below.time, Evidence::interpolated};
}

}  // namespace

std::optional<ConvolutionTime> from_convolution_curves(const cluster::Device& device, const Convolution& convolution,
                                                       const ConvolutionPass& pass) {
    for (const cluster::ConvolutionCurve& curve : device.convolutions) {
        if (curve.algorithm != pass.algorithm || curve.precision != pass.precision ||
            curve.direction != pass.direction) {
            continue;
        }
        const std::vector<Point> points = points_of(curve, convolution);
        if (!points.empty()) {
            return at_samples(points, convolution.samples);
        }
    }
    return std::nullopt;
}

}  // namespace dodona::cost
