// How a group lies on a torus: along which dimensions it extends, and what each gives it.
//
// Child c of a level with sizes S1, S2, ... sits at (c mod S1, c / S1 mod S2, ...). A group extends along a dimension
// of S children with e members, one every s of them:
//
//   links = 2 * links       where e*s = S: the ring is closed, one half of the data goes either way round
//           1 * links       where it is open: the line forth and back is one ring in one direction
//   phi   = s * groups      the s groups between each other's members pass the same links, as do those of one child
//   share = links * bandwidth / phi
//
// A send leaves by one of the two directions, a halo by both.
// Not modelled: groups whose strides do not follow the dimensions; they are taken as one ring through all children.
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

/// Dimensions along which the request's group extends, innermost first; one at least. `children` is how many of the
/// level it occupies.
std::vector<TorusRing> torus_rings(const cluster::Level& level, const CollectiveRequest& request,
                                   const cluster::Span& span, std::int64_t children);

}  // namespace dodona::cost
