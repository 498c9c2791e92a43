// What a thinned table is worth at sizes that are not in it.
#pragma once

#include "calibrate/collectives/tables.hpp"
#include "cluster/link.hpp"

namespace dodona::calibrate {

/// The table thinned (collectives/thinning.hpp). Its held-out error: each size between the first and the last is left
/// out in turn, the rest thinned and asked for it; the 90th percentile of the misses, at least thinning's tolerance.
/// With fewer than four sizes there is nothing to leave out, and the error is unknown: 0, which the oracle widens.
cluster::CollectiveCurve thinned_with_held_out(const CollectiveSeries& series, const Measured& measured);

}  // namespace dodona::calibrate
