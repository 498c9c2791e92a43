#include "calibrate/collectives/thinning.hpp"

#include <algorithm>
#include <cmath>

#include "cost/collective_curve.hpp"

namespace dodona::calibrate {

namespace {

using Point = cluster::CollectiveCurve::Point;

struct Block {
    double sum = 0;
    std::size_t count = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
};

/// Medians by size, none quicker than a smaller one.
std::vector<Point> not_falling(const std::map<double, std::vector<double>>& repeats) {
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
    std::vector<Point> points;
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

}  // namespace

double quantile(std::vector<double> values, double share) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::max<std::size_t>(rank, 1) - 1];
}

cluster::CollectiveCurve thinned(const CollectiveSeries& series, const Measured& measured) {
    const std::vector<Point> points = not_falling(measured.points);
    cluster::CollectiveCurve curve{.collective = series.collective,
                                   .ranks = series.ranks,
                                   .ranks_per_node = series.ranks_per_node,
                                   .points = {points.front()}};
    if (points.size() > 1) {
        curve.points.push_back(points.back());
    }
    while (curve.points.size() < points.size()) {
        const auto worst = std::max_element(points.begin(), points.end(), [&](const Point& a, const Point& b) {
            return miss(curve, a.size, a.time) < miss(curve, b.size, b.time);
        });
        if (miss(curve, worst->size, worst->time) <= kTolerance) {
            break;
        }
        const auto after = std::find_if(curve.points.begin(), curve.points.end(),
                                        [&](const Point& point) { return point.size > worst->size; });
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

}  // namespace dodona::calibrate
