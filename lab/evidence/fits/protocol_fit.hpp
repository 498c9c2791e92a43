// The parameters of a link's protocols, fitted to all of its tables at once.
//
// Each parameter set is tried in the very model that predicts (cost/collective_time.hpp), on one level of these links,
// with rings, as NCCL runs them among the devices of a node; the quickest protocol counts. Minimised is the mean of
// |log(model / measured)|, which single bad rows and collectives that the network reduces do not move much, by the
// simplex method on the logarithms of the parameters, restarted five times; efficiencies stay below 1, and a step of
// the second protocol is no shorter than one of the first.
// Not fitted: all-to-alls and sends, of which the model has one step whatever the ranks.
// Source: Nelder and Mead, "A simplex method for function minimization", Computer Journal 7 (1965).
#pragma once

#include <vector>

#include "base/quantity.hpp"
#include "calibrate/network/collective_tables.hpp"
#include "cluster/level.hpp"
#include "cluster/link.hpp"

namespace dodona::calibrate {

/// The level that the devices of the tables sat on.
struct LinkLevel {
    cluster::LevelKind kind = cluster::LevelKind::switched;
    std::int64_t size = 8;
    std::int64_t links = 1;
    BytesPerSecond bandwidth;
};

struct ProtocolFit {
    std::vector<cluster::Protocol> protocols;
    double median_error = 0;  ///< of |model / measured - 1| over the tables fitted
    double error = 0;         ///< its 90th percentile
    double of_one = 0;        ///< the 90th percentile that one protocol alone would leave: alpha-beta
};

ProtocolFit fit_protocols(const LinkLevel& level, const Tables& tables);

/// Of tables without small sizes, between nodes of one device: the median of what their larger all-reduces reach, with
/// NCCL's own constant for a step.
ProtocolFit fit_efficiency(const LinkLevel& level, const Tables& tables);

}  // namespace dodona::calibrate
