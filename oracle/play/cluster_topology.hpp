// The links of a cluster as a topology, from its levels.
//
// Rank r is endpoint r. A domain of a level has a switch (named as the level and the domain: node0, unit2), and its
// children are linked to it:
//
//   devices          a link of links * bandwidth each
//   larger children  an adapter for each of the level's links (node0/link3), shared by the devices next to it: device d of
//                    n drives link d * links / n. Adapters of a domain of such domains join at its switch, and go on over
//                    one link of links * bandwidth
//
// A taper leaves links * bandwidth / taper out of a child. Kinds that differ:
//
//   all-to-all       a link between each pair of children, no switch
//   ring             a link to the next child; with two links also back
//   rail             link i of every child leads to switch i of the level; those are linked to the switch of the level
//                    above, if there is one. A message to another position first crosses the child (PXN)
//   bus              one link that all children share
//   torus            links to both neighbours along each dimension
//   dragonfly        each pair of children has links / (size - 1) links (minimal routes)
//
// Bandwidths are those of the protocol that reaches most (LinkTiming::efficiency). A message through a level has the
// latency of the level's step in all: half of it at either end, for outer levels less what inner ones already have.
// Not modelled: start-up of collectives (latency of the tables), in-network reduction, adaptive and Valiant routes,
// measured curves, staging through hosts, limits of one flow on links that stand for several.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/cluster.hpp"
#include "simulate/topology.hpp"

namespace dodona::play {

/// The first `ranks` devices of the cluster and the links between them.
simulate::Topology cluster_topology(const cluster::Cluster& cluster, std::int64_t ranks);

/// Leaves `factor` of all links that begin or end at `name`, such as node0/link3 or rank5; 0: they are dead. Throws
/// InputError for a name that the topology does not have.
void degrade(simulate::Topology& topology, const std::string& name, double factor);

}  // namespace dodona::play
