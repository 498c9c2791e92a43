// A table thinned to the points that its interpolation needs.
//
// Times are made not to fall with size (pool adjacent violators, on logarithms). In a dense table a last size that was
// measured once and takes 10 % longer than the two before it make it is left out. The curve starts with the first and
// the last point; the point that it misses most is added until it misses none by more than the tolerance. Its held-out
// error is the 90th percentile of its misses of everything that was kept out, else of all points; at least the
// tolerance. Source: Barlow et al., Statistical Inference under Order Restrictions (1972), section 1.2, for the
// pooling.
#pragma once

#include "calibrate/network/collective_tables.hpp"
#include "cluster/link.hpp"

namespace dodona::calibrate {

inline constexpr double kTolerance = 0.02;

cluster::CollectiveCurve thinned(const CollectiveSeries& series, const Measured& measured);

/// The same with an error of sizes that are not in it: each size between the first and the last is left out in turn and
/// asked of the rest, thinned; the 90th percentile of the misses, at least the tolerance. With fewer than four sizes
/// there is nothing to leave out and the error is unknown: 0, which the oracle widens.
cluster::CollectiveCurve thinned_with_held_out(const CollectiveSeries& series, const Measured& measured);

}  // namespace dodona::calibrate
