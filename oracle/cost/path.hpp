// The way of one group's traffic through the cluster.
//
// On each level that the group crosses, its members inside a child can drive k of the child's L links, and the g groups
// of the child share them:
//
//   phi   = max(1, g*k / L)                    contention: flows per link
//   share = k * bandwidth / taper / phi        what one group gets out of a child, B/s
//
// A device drives all its links (k = L where the child is one device); a group inside a larger child as many as it has
// members there, k = min(m, L). On an all-to-all level L counts the peers that the group has. A message to a neighbour
// (send, halo) drives one link per neighbour where links lead to one child each (all-to-all, ring). phi is ParaDL's
// contention coefficient, computed; the user's `contention` replaces it on levels whose children hold several devices.
//
// The latency of a step is the largest of the levels crossed.
// Not modelled: other jobs' traffic; strided groups of a ring level that pass through each other's children.
// Source: contention as in Kahira et al., HPDC'21 (ParaDL), section 4.5: flows of the job's own that share a link.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantity.hpp"
#include "cluster/cluster.hpp"
#include "cost/collective_time.hpp"

namespace dodona::cost {

/// What a group finds on one level.
struct Crossing {
    std::size_t level = 0;
    std::int64_t members = 1;  ///< of the group inside one child
    double hops = 1;           ///< links that a message between two of the group's children passes, on average
    Seconds latency;
    BytesPerSecond share;  ///< out of one child, for this group
};

/// A group of `ranks` and the levels that it crosses, innermost first.
struct Path {
    std::int64_t ranks = 1;
    std::vector<Crossing> crossings;
    double contention = 1;  ///< phi of the busiest level

    /// Of one step: the largest of the levels.
    [[nodiscard]] Seconds latency() const;
};

/// `spans` are those of a group of `ranks` members; `request` says which collective it runs.
Path path(const cluster::Cluster& cluster, const CollectiveRequest& request, std::int64_t ranks,
          std::span<const cluster::Span> spans);

}  // namespace dodona::cost
