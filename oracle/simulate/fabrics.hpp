// Common networks as topologies. Endpoints are numbered from 0 in the order in which their switches are built: those of
// one switch, node or group follow each other. Every link counts with its latency: a message through one switch has
// two of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/topology.hpp"

namespace dodona::simulate {

/// `endpoints` at one switch that is never the bottleneck.
Topology star(std::size_t endpoints, const LinkRate& link);

/// Each endpoint linked to the next and the previous one.
Topology ring(std::size_t endpoints, const LinkRate& link);

/// Endpoint i at (i mod s1, i / s1 mod s2, ...), linked to both neighbours along every dimension. A dimension of two
/// has one link between its two, as the two ways round are the same.
Topology torus(const std::vector<std::size_t>& sizes, const LinkRate& link);

/// A link from each endpoint to every other.
Topology full_mesh(std::size_t endpoints, const LinkRate& link);

/// One level of switches of a fat tree.
struct FatTreeLevel {
    std::size_t size = 1;      ///< parts of the level below (endpoints for the lowest) under each part of this one
    std::size_t switches = 1;  ///< of each part, each linked to every switch of each part below
    /// Oversubscription: bandwidth into this level from below over that out of what is below. The links from part to
    /// part share what the taper leaves equally. The lowest level has none.
    double taper = 1;
};

/// A fat tree (folded Clos network), lowest level first. Through level i go 1 / (taper_2 ... taper_i) of the bandwidth
/// of the endpoints below. Source: Leiserson, "Fat-trees: universal networks for hardware-efficient supercomputing",
/// IEEE Trans. Computers C-34(10), 1985.
Topology fat_tree(const std::vector<FatTreeLevel>& levels, const LinkRate& link);

/// A dragonfly: groups of routers that are fully linked, `global_links` from each router to routers of other groups.
/// Global links are dealt out evenly: the l-th link between two groups starts at the router whose turn it is.
/// Routes are minimal: they pass no third group. Source: Kim, Dally, Scott and Abts, "Technology-driven,
/// highly-scalable dragonfly topology", ISCA 2008, section 3.
struct Dragonfly {
    std::size_t groups = 2;
    std::size_t routers = 1;       ///< of a group
    std::size_t endpoints = 1;     ///< of a router
    std::size_t global_links = 1;  ///< of a router; routers * global_links is a multiple of groups - 1
    LinkRate endpoint;
    LinkRate local;
    LinkRate global;
};
Topology dragonfly(const Dragonfly& description);

}  // namespace dodona::simulate
