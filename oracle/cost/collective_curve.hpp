// Times of collectives from measured curves.
//
// A curve applies to the same collective, ranks and ranks per node, if the job's groups do not share links (a benchmark
// runs one group). Curves of the cluster come first, then those of the link of the outermost level that the group
// crosses. Between its points log time over log size is a monotone cubic (PCHIP), or linear with fewer than four
// points; beyond the last point the bandwidth of the last octave holds, below the first its time. Sizes ascend
// strictly; times are positive.
//
// For numbers of ranks that a link was not measured with, the model of collective_time.hpp with the link's parameters
// gives the time, corrected by the ratio of measured to modelled time of the measured neighbours at the same size:
//
//   T(p) = model(p) * exp( (1-w) log(T(p1)/model(p1)) + w log(T(p2)/model(p2)) ),  w = log(p/p1) / log(p2/p1)
//
// with p1 < p < p2 measured, or the ratio of the only neighbour. The error is that of the link's protocols, and half of
// it more for each doubling beyond the largest measured ranks. Not modelled: protocol switches between two points; the
// links of a cube mesh that a group of part of a node has. Source: hardware/links, whose curves miss what was held out
// by 7 % in the median (`held_out_error`), where one alpha and beta miss the tables by 12 to 29 % (`source`); Fritsch
// and Butland, SIAM J. Sci. Stat. Comput. 5 (1984), for the cubic, with the end slopes of Moler, Numerical Computing
// with MATLAB (2004), section 3.6.
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

/// Time of the curve's collective at this size; `borrowed` is added to its error.
CurveTime curve_time(const cluster::CollectiveCurve& curve, Bytes size, double borrowed = 0);

/// The request that a curve's benchmark ran: groups of ranks_per_node neighbouring ranks, `apart` devices from each
/// other. None where these do not divide `apart`, as three ranks on each node of eight: no strides describe them.
std::optional<CollectiveRequest> benchmark(const cluster::CollectiveCurve& curve, std::int64_t apart, Bytes size);

/// The cluster's first curve that applies to the request; null if there is none. `spans` are those of the request's
/// group.
const cluster::CollectiveCurve* matching_curve(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                               std::span<const cluster::Span> spans);

/// Ranks of a group, and how many of them are connected by other links.
struct Placement {
    std::int64_t ranks = 1;
    std::int64_t together = 1;
};

/// Curves of a link for a request: the exact one, or those of the nearest measured ranks.
struct LinkCurves {
    const cluster::Link* link = nullptr;
    Placement placed;
    const cluster::CollectiveCurve* exact = nullptr;
    const cluster::CollectiveCurve* fewer = nullptr;
    const cluster::CollectiveCurve* more = nullptr;
};

/// The curves of the link of the outermost level that the group crosses, if that has a link. Curves measured under a
/// switch apply to groups of all children of a pairwise connected level, but not to groups of some, which have fewer
/// links.
LinkCurves matching_link(const cluster::Cluster& cluster, const CollectiveRequest& request,
                         std::span<const cluster::Span> spans);

}  // namespace dodona::cost
