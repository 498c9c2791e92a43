// The protocols of a link, fitted to the tables of its collectives as rings.
//
//   T = min over protocols of  start + s * step + b / (efficiency * bandwidth)            (cluster/link.hpp)
//   all-reduce s = 2(p-1), b = 2(p-1)/p n;   all-gather, reduce-scatter s = p-1, b = (p-1)/p n
//
// which is linear in start, step and G = 1 / (efficiency * bandwidth): least squares on relative errors, none of the
// three negative, reweighted so that it is the sum of the errors themselves that is least and single bad rows move it
// little. A second protocol, for messages n/p up to each measured size in turn, is taken where it lowers the mean
// error by a tenth and by half a percent at least. There is no start to depend on: shared memory and wide-area links
// are fitted alike.
// Not fitted: all-to-alls and messages, which the model gives one step whatever the ranks; protocols that make longer
// messages slower than shorter ones, which tables have and min does not.
// Source: Holland and Welsch, Communications in Statistics 6 (1977), for the reweighting.
#pragma once

#include <vector>

#include "calibrate/network/collective_tables.hpp"
#include "cluster/link.hpp"

namespace dodona::calibrate {

struct RingProtocols {
    std::vector<cluster::Protocol> protocols;  ///< one or two, the shortest start first
    double median_error = 0;                   ///< |model / measured - 1| over all rows
    double error = 0;                          ///< its 90th percentile
};

/// Of the tables that are all-reduces, all-gathers or reduce-scatters; no protocol where there are fewer than three
/// rows. `bandwidth` is one child's, no less than what the rows reach.
RingProtocols fit_ring_protocols(const Tables& tables, BytesPerSecond bandwidth);

}  // namespace dodona::calibrate
