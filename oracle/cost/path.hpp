// The way of one group's traffic through the cluster.
//
// On each level that the group crosses, its members inside a child can drive k of the child's L links, and the g groups
// of the child share them:
//
//   phi   = max(1, g*k / L)                    contention: flows per link
//   share = k * e * bandwidth / taper / phi    what one group gets out of a child, B/s; e is the level's efficiency
//
// A device drives all its links (k = L where the child is one device); a group inside a larger child as many as it has
// members there, k = min(m, L). On an all-to-all level L counts the peers that the group has. A message to a neighbour
// (send, halo) drives one link per neighbour where links lead to one child each (all-to-all, ring). phi is ParaDL's
// contention coefficient, computed; the user's `contention` replaces it on levels whose children hold several devices.
//
// Three kinds of level count otherwise:
//
//   bus         phi = groups on the medium;  share = links * bandwidth / (children * phi): every byte passes it once
//   torus       a share for each dimension (torus_rings.hpp); of one ring through all of them the smallest
//   dragonfly   L = links * peers / (size - 1) minimal, links / 2 valiant, the larger of the two adaptive; peers: the
//               groups that a group's traffic is for, all of them in an all-to-all, otherwise the next one, for
//               members in rank order
//
// The latency of a step is the largest of the levels crossed. On a rail level a message to another position of a node
// crosses the node's own level first and pays for both (PXN): sends, halos and all-to-alls of groups with several
// members a node, and whatever groups do that do not lie alike in all nodes. The bytes that cross the node's own level
// are those of the algorithm in any case.
//
// In-network reduction scales the share, without its efficiency, by what the switches reduce over what the links carry.
// Not modelled: other jobs' traffic; strided groups of a ring level that pass through each other's children; local
// links of a dragonfly group beyond those of its own levels.
// Source: contention as in Kahira et al., HPDC'21 (ParaDL), section 4.5: flows of the job's own that share a link;
// Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008, section 4, for
// minimal and Valiant throughput; NVIDIA, "Doubling all2all performance with NCCL 2.12" (2022) for rails and PXN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.hpp"
#include "cluster/cluster.hpp"
#include "cost/collective_time.hpp"
#include "cost/torus_rings.hpp"

namespace dodona::cost {

/// What a group finds on one level.
struct Crossing {
    std::size_t level = 0;
    std::int64_t members = 1;   ///< of the group inside one child
    std::int64_t children = 1;  ///< that the group occupies of one domain
    double hops = 1;            ///< links that a message between two of the group's children passes, on average
    Seconds latency;
    BytesPerSecond share;          ///< out of one child, for this group
    std::vector<TorusRing> rings;  ///< of a torus; otherwise none
    /// Through the reduction of a level that has one, for this group.
    std::optional<cluster::InNetwork> reduction;
};

/// A group of `ranks` and the levels that it crosses, innermost first.
struct Path {
    std::int64_t ranks = 1;
    std::size_t protocol = 0;  ///< of each level's, the place in its list
    std::vector<Crossing> crossings;
    double contention = 1;  ///< phi of the busiest level
    Seconds start;          ///< once a collective: the largest of the levels

    /// Of one step: the largest of the levels.
    [[nodiscard]] Seconds latency() const;
};

/// `spans` are those of a group of `ranks` members; `request` says which collective it runs; `protocol` how links are
/// driven (cluster/link.hpp).
Path path(const cluster::Cluster& cluster, const CollectiveRequest& request, std::int64_t ranks,
          std::span<const cluster::Span> spans, std::size_t protocol = 0);

}  // namespace dodona::cost
