#include "calibrate/network/held_out.hpp"

#include <cmath>
#include <iterator>
#include <vector>

#include "calibrate/collectives/thinning.hpp"
#include "cost/collective_curve.hpp"

namespace dodona::calibrate {

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
