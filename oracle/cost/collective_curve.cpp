#include "cost/collective_curve.hpp"

#include <math.h>  // before Boost 1.74's pchip, which calls isnan unqualified

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <boost/math/interpolators/pchip.hpp>

#include "base/check.hpp"
#include "cost/interval.hpp"

namespace dodona::cost {

namespace {

using Points = std::vector<cluster::CollectiveCurve::Point>;

/// The worst leave-one-out error of PCHIP on a real two-node log (FORMATS 2.1), for curves that come without a held-out
/// error of their own.
constexpr double kUnknownError = 0.22;

double log_size(const cluster::CollectiveCurve::Point& point) { return std::log(point.size.in(unit::byte)); }
double log_time(const cluster::CollectiveCurve::Point& point) { return std::log(point.time.in(unit::second)); }

/// Between points[right-1] and points[right]. A PCHIP segment depends on its two points and their neighbours only, so
/// four points give what all would.
Seconds between(const Points& points, std::size_t right, double size) {
    const double x = std::log(size);
    if (points.size() < 4) {
        const double x0 = log_size(points[right - 1]);
        const double y0 = log_time(points[right - 1]);
        const double slope = (log_time(points[right]) - y0) / (log_size(points[right]) - x0);
        return Seconds::of_base(std::exp(y0 + slope * (x - x0)));
    }
    const std::size_t first = std::min(right < 2 ? 0 : right - 2, points.size() - 4);
    std::vector<double> xs, ys;
    xs.reserve(4);
    ys.reserve(4);
    for (std::size_t i = first; i < first + 4; ++i) {
        xs.push_back(log_size(points[i]));
        ys.push_back(log_time(points[i]));
    }
    const boost::math::interpolators::pchip<std::vector<double>> cubic(std::move(xs), std::move(ys));
    return Seconds::of_base(std::exp(cubic(x)));
}

/// Beyond the last point, at the last segment's bandwidth; at the whole message's where that segment has none.
Seconds beyond(const Points& points, Bytes size) {
    const auto& last = points.back();
    if (points.size() > 1) {
        const auto& before = points[points.size() - 2];
        if (last.time > before.time) {
            return last.time + (size - last.size) / ((last.size - before.size) / (last.time - before.time));
        }
    }
    return (size / last.size) * last.time;
}

/// The error grows by its own size with every octave outside the points.
CurveTime outside(Seconds time, double error, double octaves) {
    return {within(time, error * (1 + octaves)), Evidence::interpolated};
}

std::int64_t per_node(const cluster::Cluster& cluster, std::span<const cluster::Span> spans, std::int64_t ranks) {
    for (const cluster::Span& span : spans) {
        if (span.level == cluster.node_level + 1) {
            return span.members;
        }
    }
    return ranks;
}

}  // namespace

CurveTime curve_time(const cluster::CollectiveCurve& curve, Bytes size) {
    const Points& points = curve.points;
    check(!points.empty(), "a measured curve has points");
    const double error = curve.held_out_error > 0 ? curve.held_out_error : kUnknownError;
    const auto at = std::lower_bound(points.begin(), points.end(), size,
                                     [](const auto& point, Bytes wanted) { return point.size < wanted; });
    if (at == points.end()) {
        return outside(beyond(points, size), error, std::log2(size / points.back().size));
    }
    if (at->size == size) {
        return {within(at->time, curve.held_out_error), Evidence::measured};
    }
    if (at == points.begin()) {
        const double octaves = size > Bytes{} ? std::log2(points.front().size / size) : 1;
        return outside(points.front().time, error, octaves);
    }
    const auto right = static_cast<std::size_t>(at - points.begin());
    return {within(between(points, right, size.in(unit::byte)), error), Evidence::interpolated};
}

const cluster::CollectiveCurve* matching_curve(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                               std::span<const cluster::Span> spans) {
    if (cluster.curves.empty()) {
        return nullptr;
    }
    std::int64_t ranks = request.group.size();
    std::int64_t inside = per_node(cluster, spans, ranks);
    if (request.collective == cluster::Collective::send) {  // between two neighbours, however long the pipeline
        inside = inside == ranks ? 2 : 1;
        ranks = 2;
    }
    for (const cluster::CollectiveCurve& curve : cluster.curves) {
        if (curve.collective == request.collective && curve.ranks == ranks && curve.ranks_per_node == inside) {
            return &curve;
        }
    }
    return nullptr;
}

}  // namespace dodona::cost
