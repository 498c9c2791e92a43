#include "calibrate/network/thinning.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "calibrate/record/quantile.hpp"
#include "cost/collective_curve.hpp"

namespace dodona::calibrate {

namespace {

using CurvePoint = cluster::CollectiveCurve::Point;

struct Block {
    double sum = 0;
    std::size_t count = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
};

/// Medians by size, none quicker than a smaller one.
std::vector<CurvePoint> not_falling(const std::map<double, std::vector<double>>& repeats) {
    std::vector<Block> blocks;
    for (const auto& [bytes, times] : repeats) {
        blocks.push_back({std::log(median(times)), 1});
        while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
            const Block last = blocks.back();
            blocks.pop_back();
            blocks.back().sum += last.sum;
            blocks.back().count += last.count;
        }
    }
    std::vector<CurvePoint> points;
    auto block = blocks.begin();
    std::size_t left = block == blocks.end() ? 0 : block->count;
    for (const auto& [bytes, times] : repeats) {
        if (left == 0) {
            left = (++block)->count;
        }
        points.push_back({Bytes::of_base(bytes), Seconds::of_base(1e-6 * std::exp(block->mean()))});
        --left;
    }
    return points;
}

double miss(const cluster::CollectiveCurve& curve, Bytes size, Seconds time) {
    return std::abs(cost::curve_time(curve, size).time.value / time - 1);
}

/// Whether the two sizes before the last bear it out, where they are as close as in a dense table.
bool is_borne_out(const std::vector<CurvePoint>& points) {
    constexpr double kDisturbed = 1.1;
    constexpr double kClose = 1.2;
    const auto& [size, time] = points.back();
    const CurvePoint& before = points[points.size() - 2];
    const CurvePoint& first = points[points.size() - 3];
    const Seconds expected =
        before.time + (size - before.size) / (before.size - first.size) * (before.time - first.time);
    return size > kClose * first.size || time <= kDisturbed * expected;
}

/// Without a last size that was measured once and is not borne out: nothing larger says whether its time is the size's
/// or that of one disturbed transfer, and all that is extrapolated hangs on it.
std::vector<CurvePoint> undisturbed(std::vector<CurvePoint> points, const Measured& measured) {
    const bool once = !measured.points.empty() && measured.points.rbegin()->second.size() == 1;
    if (once && points.size() > 3 && !is_borne_out(points)) {
        points.pop_back();
    }
    return points;
}

}  // namespace

cluster::CollectiveCurve thinned(const CollectiveSeries& series, const Measured& measured) {
    const std::vector<CurvePoint> points = undisturbed(not_falling(measured.points), measured);
    cluster::CollectiveCurve curve{.collective = series.collective,
                                   .ranks = series.ranks,
                                   .ranks_per_node = series.ranks_per_node,
                                   .points = {points.front()}};
    if (points.size() > 1) {
        curve.points.push_back(points.back());
    }
    while (curve.points.size() < points.size()) {
        const auto worst = std::ranges::max_element(points, [&](const CurvePoint& a, const CurvePoint& b) {
            return miss(curve, a.size, a.time) < miss(curve, b.size, b.time);
        });
        if (miss(curve, worst->size, worst->time) <= kTolerance) {
            break;
        }
        const auto after = std::find_if(curve.points.begin(), curve.points.end(),
                                        [&](const CurvePoint& point) { return point.size > worst->size; });
        curve.points.insert(after, *worst);
    }
    std::vector<double> misses;
    const auto& kept_out = measured.kept_out.empty() ? measured.points : measured.kept_out;
    for (const auto& [bytes, times] : kept_out) {
        for (const double time : times) {
            misses.push_back(miss(curve, Bytes::of_base(bytes), Seconds::of_base(1e-6 * time)));
        }
    }
    curve.held_out_error = std::max(kTolerance, quantile(misses, 0.9));
    return curve;
}

cluster::CollectiveCurve thinned_with_held_out(const CollectiveSeries& series, const Measured& measured) {
    cluster::CollectiveCurve curve = thinned(series, measured);
    if (measured.points.size() < 4) {
        curve.held_out_error = 0;
        return curve;
    }
    std::vector<double> misses;
    for (auto point = std::next(measured.points.begin()); point != std::prev(measured.points.end()); ++point) {
        Measured rest = measured;
        rest.points.erase(point->first);
        const Seconds predicted = cost::curve_time(thinned(series, rest), Bytes::of_base(point->first)).time.value;
        misses.push_back(std::abs(predicted.in(1_us) / median(point->second) - 1));
    }
    curve.held_out_error = std::max(kTolerance, quantile(misses, 0.9));
    return curve;
}

}  // namespace dodona::calibrate
