// The path of one group's traffic through the cluster.
//
// On each level that the group crosses, its members inside a child can drive k of the child's L links, and the g groups
// of the child share them:
//
//   phi   = max(1, g*k / L)                    contention: flows per link
//   share = k * e * bandwidth / taper / phi    bandwidth of one group out of a child; e is the level's efficiency
//
// taper is the oversubscription. A single device drives all its links (k = L); a group with m members in a larger child
// drives k = min(m, L). On an all-to-all level L counts the peers in the group. A send or halo drives one link per
// neighbour where links lead to one child each (all-to-all, ring). phi is ParaDL's contention coefficient, computed;
// the user's `contention` replaces it on levels whose children hold several devices.
//
// Three kinds of level differ:
//
//   bus         phi = groups on the medium;  share = links * bandwidth / (children * phi): every byte uses it once
//   torus       one share per dimension (torus_rings.hpp); a single ring through all has the smallest
//   dragonfly   L = links * peers / (size - 1) minimal, links / 2 valiant, the larger of the two adaptive; peers:
//               destination groups of a group's traffic: all of them in an all-to-all, otherwise the next one
//
// The latency of a step is the largest of all levels crossed. In NCCL's rings the parts of a message go round on their
// own, and a step has the mean latency of the ring's edges (NVIDIA/nccl at 01afd20: src/graph/tuning.cc, steps between
// nodes and inside). On a rail level a message to another position of a node first crosses the node's own level and has
// both latencies (PXN): sends, halos and all-to-alls of groups with several members per node, and everything in groups
// at different positions of their nodes. The bytes on the node's own level are those of the algorithm.
//
// In-network reduction replaces efficiency and bandwidth by those of the reduction.
// Not modelled: traffic of other jobs; strided groups on a ring level that pass through each other's children; local
// links of a dragonfly group beyond its own levels.
// Source: contention as in Kahira et al., HPDC'21 (ParaDL), section 4.5: flows of the job that share a link; Kim,
// Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008, section 4, for minimal and
// Valiant throughput; NVIDIA, "Doubling all2all performance with NCCL 2.12" (2022) for rails and PXN.
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

/// A level that a group crosses.
struct Crossing {
    std::size_t level = 0;
    std::int64_t members = 1;   ///< of the group inside one child
    std::int64_t children = 1;  ///< of one domain that the group occupies
    double hops = 1;            ///< mean number of links that a message between two children of the group passes
    Seconds latency;
    BytesPerSecond share;          ///< out of one child, for this group
    std::vector<TorusRing> rings;  ///< of a torus; otherwise none
    /// In-network reduction of the level, with this group's share of its bandwidth.
    std::optional<cluster::InNetwork> reduction;
};

/// A group of `ranks` and the levels that it crosses, innermost first.
struct Path {
    std::int64_t ranks = 1;
    std::size_t protocol = 0;  ///< index of the protocol on each level
    std::vector<Crossing> crossings;
    double contention = 1;  ///< phi of the busiest level
    bool chunked = false;   ///< parts of a message go round a ring on their own, as NCCL's
    Seconds start;          ///< start-up of a collective: the largest of all levels

    /// Latency of one step: the largest of all levels.
    [[nodiscard]] Seconds latency() const;
    /// Latency of one step of a ring through all ranks, of whose edges one leaves each child.
    [[nodiscard]] Seconds latency_of_ring() const;
};

/// `spans`: of a group of `ranks` members; `request`: for its collective; `protocol`: index into the protocols of the
/// links.
Path path(const cluster::Cluster& cluster, const CollectiveRequest& request, std::int64_t ranks,
          std::span<const cluster::Span> spans, std::size_t protocol = 0);

}  // namespace dodona::cost
