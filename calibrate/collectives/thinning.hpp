// A table thinned to the points that its interpolation needs.
//
// Times are made not to fall with size (pool adjacent violators, on logarithms). Then, from the first and the last
// point on, the point that the curve of those taken so far misses most is added, until none is missed by more than the
// tolerance. What the curve is worth is the 90th percentile of its misses of everything kept out, or without that of
// the points that were left out; at least the tolerance.
// Source: Barlow et al., Statistical Inference under Order Restrictions (1972), section 1.2, for the pooling.
#pragma once

#include "calibrate/collectives/tables.hpp"
#include "cluster/link.hpp"

namespace dodona::calibrate {

inline constexpr double kTolerance = 0.02;

cluster::CollectiveCurve thinned(const CollectiveSeries& series, const Measured& measured);

/// The value that `share` of the values do not exceed; 0 of none.
double quantile(std::vector<double> values, double share);

}  // namespace dodona::calibrate
