// The dimensions of a torus along which a group extends, with its share of each.
//
// Child c of a level with sizes S1, S2, ... is at (c mod S1, c / S1 mod S2, ...). A group extends along a dimension
// of S children with e members, one every s of them:
//
//   links = 2 * links       where e*s = S: the ring is closed, half of the data goes in each direction
//           1 * links       where it is open: the line forth and back is one ring in one direction
//   phi   = s * groups      s interleaved groups use the same links, as do those of one child
//   share = links * bandwidth / phi
//
// A send uses one direction, a halo both.
// Not modelled: groups whose strides do not follow the dimensions; they count as one ring through all children.
// Source: Jain and Sabharwal, "Optimal bucket algorithms for large MPI collectives on torus interconnects", ICS 2010,
// for rings per dimension; positions as TPU pods and Blue Gene number them, first dimension innermost.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.hpp"
#include "cluster/cluster.hpp"
#include "cost/collective_time.hpp"

namespace dodona::cost {

/// One dimension of a torus, for one group.
struct TorusRing {
    std::int64_t extent = 1;  ///< members of the group along it
    BytesPerSecond share;     ///< out of one child along it, for this group
    double contention = 1;
};

/// Dimensions along which the request's group extends, innermost first; at least one. `children`: number that it
/// occupies.
std::vector<TorusRing> torus_rings(const cluster::Level& level, const CollectiveRequest& request,
                                   const cluster::Span& span, std::int64_t children);

}  // namespace dodona::cost
