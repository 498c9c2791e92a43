#include "cost/collective_curve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "cost/interval.hpp"

namespace dodona::cost {

namespace {

using Points = std::vector<cluster::CollectiveCurve::Point>;

/// For curves without a held-out error. Assumed: that of the worst twentieth of the curves in hardware/links, whose
/// `held_out_error` is 0.07 in the median, 0.21 at the 95th percentile and 0.29 at most.
constexpr double kCollectiveError = 0.22;

double log_size(const cluster::CollectiveCurve::Point& point) { return std::log(point.size.in(unit::byte)); }
double log_time(const cluster::CollectiveCurve::Point& point) { return std::log(point.time.in(unit::second)); }

/// A linear piece in log-log coordinates.
struct Secant {
    double width = 1;
    double slope = 0;
};

Secant secant(const Points& points, std::size_t right) {
    const double width = log_size(points[right]) - log_size(points[right - 1]);
    return {width, (log_time(points[right]) - log_time(points[right - 1])) / width};
}

/// Slope at an inner point: weighted harmonic mean of both pieces, zero at an extremum.
double slope_between(Secant left, Secant right) {
    if (left.slope * right.slope <= 0) {
        return 0;
    }
    const double w1 = 2 * right.width + left.width;
    const double w2 = right.width + 2 * left.width;
    return (w1 + w2) / (w1 / left.slope + w2 / right.slope);
}

/// Slope at the first or last point: that of the parabola through the last three points, limited to stay monotone.
double slope_at_end(Secant end, Secant next) {
    const double slope = ((2 * end.width + next.width) * end.slope - end.width * next.slope) / (end.width + next.width);
    if (slope * end.slope <= 0) {
        return 0;
    }
    return std::abs(slope) > 3 * std::abs(end.slope) ? 3 * end.slope : slope;
}

/// Interpolation between points[right-1] and points[right].
Seconds between(const Points& points, std::size_t right, double size) {
    const Secant here = secant(points, right);
    const double from_left = std::log(size) - log_size(points[right - 1]);
    const double left_time = log_time(points[right - 1]);
    if (points.size() < 4) {
        return Seconds::of_base(std::exp(left_time + here.slope * from_left));
    }
    const bool first = right == 1;
    const bool last = right + 1 == points.size();
    const double at_left =
        first ? slope_at_end(here, secant(points, 2)) : slope_between(secant(points, right - 1), here);
    const double at_right =
        last ? slope_at_end(here, secant(points, right - 1)) : slope_between(here, secant(points, right + 1));
    const double t = from_left / here.width;
    const double rise = t * t * (3 - 2 * t) * here.slope * here.width;
    const double bend = here.width * t * (1 - t) * ((1 - t) * at_left - t * at_right);
    return Seconds::of_base(std::exp(left_time + rise + bend));
}

/// Extrapolation beyond the last point with the bandwidth of the last octave: between neighbours a few per cent of noise
/// would make any slope. With the bandwidth of the whole message if the octave has none.
Seconds beyond(const Points& points, Bytes size) {
    const auto& last = points.back();
    const auto octave =
        std::find_if(points.rbegin(), points.rend(), [&](const auto& point) { return 2.0 * point.size <= last.size; });
    if (octave != points.rend() && last.time > octave->time) {
        return last.time + (size - last.size) / ((last.size - octave->size) / (last.time - octave->time));
    }
    return (size / last.size) * last.time;
}

/// Outside the points the error grows by its own size with every octave.
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

const cluster::CollectiveCurve* find(const std::vector<cluster::CollectiveCurve>& curves,
                                     cluster::Collective collective, Placement placed) {
    const auto found = std::find_if(curves.begin(), curves.end(), [&](const cluster::CollectiveCurve& curve) {
        return curve.collective == collective && curve.ranks == placed.ranks && curve.ranks_per_node == placed.together;
    });
    return found == curves.end() ? nullptr : &*found;
}

/// Whether ranks inside the level have as many links as those that were measured.
bool drives_alike(const cluster::Level& level, const cluster::Link& link, std::int64_t ranks) {
    using cluster::Wiring;
    switch (level.kind) {
        case cluster::LevelKind::ring: return link.wiring == Wiring::ring;
        case cluster::LevelKind::all_to_all:
            return link.wiring == Wiring::pairs || (link.wiring == Wiring::any && ranks == level.size);
        default: return link.wiring == Wiring::any || (link.wiring == Wiring::pairs && ranks == level.size);
    }
}

}  // namespace

CurveTime curve_time(const cluster::CollectiveCurve& curve, Bytes size, double borrowed) {
    const Points& points = curve.points;
    check(!points.empty(), "a measured curve has points");
    const double error = borrowed + (curve.held_out_error > 0 ? curve.held_out_error : kCollectiveError);
    const auto at = std::lower_bound(points.begin(), points.end(), size,
                                     [](const auto& point, Bytes wanted) { return point.size < wanted; });
    if (at == points.end()) {
        return outside(beyond(points, size), error, std::log2(size / points.back().size));
    }
    if (at->size == size) {
        return {within(at->time, borrowed + curve.held_out_error),
                borrowed > 0 ? Evidence::interpolated : Evidence::measured};
    }
    if (at == points.begin()) {
        const double octaves = size > Bytes{} ? std::log2(points.front().size / size) : 1;
        return outside(points.front().time, error, octaves);
    }
    const auto right = static_cast<std::size_t>(at - points.begin());
    return {within(between(points, right, size.in(unit::byte)), error), Evidence::interpolated};
}

std::optional<CollectiveRequest> benchmark(const cluster::CollectiveCurve& curve, std::int64_t apart, Bytes size) {
    const std::int64_t together = curve.ranks_per_node;
    const std::int64_t groups = curve.ranks / together;
    const std::int64_t stride = groups == 1 ? curve.ranks : apart;
    if (stride % together != 0) {
        return std::nullopt;
    }
    return CollectiveRequest{.collective = curve.collective,
                             .group = {.strides = {{1, together}, {stride, groups}}},
                             .size = size,
                             .ranks = stride * groups};
}

const cluster::CollectiveCurve* matching_curve(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                               std::span<const cluster::Span> spans) {
    if (cluster.curves.empty()) {
        return nullptr;
    }
    Placement placed{.ranks = request.group.size()};
    placed.together = per_node(cluster, spans, placed.ranks);
    if (request.collective == cluster::Collective::send) {  // a send has two ranks, however long the pipeline
        placed = {.ranks = 2, .together = placed.together == placed.ranks ? 2 : 1};
    }
    return find(cluster.curves, request.collective, placed);
}

LinkCurves matching_link(const cluster::Cluster& cluster, const CollectiveRequest& request,
                         std::span<const cluster::Span> spans) {
    const std::size_t outermost = spans.back().level;
    const cluster::Level& level = cluster.levels[outermost];
    if (!level.link || level.link->curves.empty()) {
        return {};
    }
    LinkCurves found{.link = &*level.link};
    found.placed = {.ranks = request.group.size(), .together = request.group.size()};
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
        const auto& link = cluster.levels[span->level].link;
        if (!link || link->name != level.link->name) {
            break;
        }
        found.placed.together = span->level == 0 ? found.placed.ranks : span->members;
    }
    const bool inside = found.placed.together == found.placed.ranks;
    if (request.collective == cluster::Collective::send) {
        found.placed = {.ranks = 2, .together = inside ? 2 : 1};
    }
    if (inside && !drives_alike(level, *found.link, found.placed.ranks)) {
        return {};
    }
    found.exact = find(found.link->curves, request.collective, found.placed);
    for (const cluster::CollectiveCurve& curve : found.link->curves) {
        const bool alike = curve.collective == request.collective && (curve.ranks_per_node == curve.ranks) == inside &&
                           (inside || curve.ranks_per_node == found.placed.together);
        if (alike && curve.ranks < found.placed.ranks && (found.fewer == nullptr || curve.ranks > found.fewer->ranks)) {
            found.fewer = &curve;
        }
        if (alike && curve.ranks > found.placed.ranks && (found.more == nullptr || curve.ranks < found.more->ranks)) {
            found.more = &curve;
        }
    }
    return found;
}

}  // namespace dodona::cost
