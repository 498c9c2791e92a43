// What a cluster's measured collectives say about a request.
//
// A curve answers for the same collective, the same ranks and the same ranks per node, where the job's own groups do
// not share links (a benchmark runs one group). Those of the cluster come first, then those of the link of the
// outermost level that the group crosses. Between its points log time over log size is a monotone cubic (PCHIP), or
// linear with fewer than four points; beyond the last point the last segment's bandwidth holds, below the first its
// time. Sizes ascend strictly; times are positive.
//
// Ranks that a link was not measured with lie between those that were, or beyond them. There the model of
// collective_time.hpp, whose parameters are the link's, gives the time, times what the measured neighbours found it
// wrong by at the same size:
//
//   T(p) = model(p) * exp( (1-w) log(T(p1)/model(p1)) + w log(T(p2)/model(p2)) ),  w = log(p/p1) / log(p2/p1)
//
// with p1 < p < p2 measured; of the only neighbour where there is one side only. The error is the link's own for its
// protocols, and half of it again for each doubling beyond the last measured ranks.
// Not modelled: protocol switches between two points; which of a cube mesh's links a group of part of a node has.
// Source: FORMATS 2.1 and CALIBRATION, "How to fit": tables at two sizes an octave miss by 0.8-2.8 %, alpha-beta by
// 3-39 % in the median; Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984), for the cubic, with the end slopes of
// Moler, Numerical Computing with MATLAB (2004), section 3.6.
#pragma once

#include <cstdint>
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

/// The time of the curve's collective at this size; `borrowed` is added to its error.
CurveTime curve_time(const cluster::CollectiveCurve& curve, Bytes size, double borrowed = 0);

/// What the benchmark behind a curve asked for: its ranks_per_node side by side, the next as many `apart` devices on.
CollectiveRequest benchmark(const cluster::CollectiveCurve& curve, std::int64_t apart, Bytes size);

/// The cluster's first curve that answers for the request, or none. `spans` are those of the request's group.
const cluster::CollectiveCurve* matching_curve(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                               std::span<const cluster::Span> spans);

/// A group's ranks, and how many of them have other links among themselves.
struct Placement {
    std::int64_t ranks = 1;
    std::int64_t together = 1;
};

/// What a link's tables have for a request: the curve itself, or those of its measured neighbours.
struct LinkCurves {
    const cluster::Link* link = nullptr;
    Placement placed;
    const cluster::CollectiveCurve* exact = nullptr;
    const cluster::CollectiveCurve* fewer = nullptr;
    const cluster::CollectiveCurve* more = nullptr;
};

/// The curves of the link of the outermost level that the group crosses; without one, none. Ranks joined by the same
/// link on all levels are together on it. What was measured under a switch answers for all children of a level whose
/// children are joined pairwise, not for some of them, which have fewer links for themselves.
LinkCurves matching_link(const cluster::Cluster& cluster, const CollectiveRequest& request,
                         std::span<const cluster::Span> spans);

}  // namespace dodona::cost
