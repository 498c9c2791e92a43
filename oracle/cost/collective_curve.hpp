// What a cluster's measured collectives say about a request.
//
// A curve answers for the same collective, the same ranks and the same ranks per node, where the job's own groups do
// not share links (a benchmark runs one group). Between its points log time over log size is a monotone cubic (PCHIP),
// or linear with fewer than four points; beyond the last point the last segment's bandwidth holds, below the first its
// time. Sizes ascend strictly; times are positive.
// Not modelled: protocol switches between two points.
// Source: FORMATS 2.1 and CALIBRATION, "How to fit": tables at two sizes an octave miss by 0.8-2.8 %, alpha-beta by
// 3-39 % in the median; Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984), for the cubic.
#pragma once

#include <optional>
#include <span>

#include "base/estimate.hpp"
#include "cluster/cluster.hpp"
#include "cost/collective_time.hpp"

namespace dodona::cost {

struct CurveTime {
    Estimate time;
    Evidence evidence = Evidence::interpolated;
};

/// The time of the curve's collective at this size.
CurveTime curve_time(const cluster::CollectiveCurve& curve, Bytes size);

/// The cluster's first curve that answers for the request, or none. `spans` are those of the request's group.
const cluster::CollectiveCurve* matching_curve(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                               std::span<const cluster::Span> spans);

}  // namespace dodona::cost
