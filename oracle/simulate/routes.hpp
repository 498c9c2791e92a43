// Routes between nodes of a topology: over the fewest live links.
//
// Where several next links are on a shortest route, `spreading` says which are taken:
//
//   hashed   one of them by a fixed hash of both ends and the node, as switches do by flow (ECMP): flows may collide
//   even     all of them in equal parts, as packet spraying does: a flow loads link l with the share x_l of its rate
//
//   x of the first node is 1; each node passes what it has in equal parts over the next links on a shortest route
//
// The latency of a route is the largest sum over its links from end to end. In a dragonfly no route passes a third group.
// Not modelled: adaptive routes, routes that avoid load, several routes of different length.
// Source: Hopps, RFC 2992 (2000), for equal-cost multi-path by hash.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulate/adjacency.hpp"
#include "simulate/distances.hpp"
#include "simulate/topology.hpp"

namespace dodona::simulate {

enum class Spreading { hashed, even };

/// A link of a route and the share of the flow that it carries.
struct Hop {
    LinkId link{};
    double share = 1;
};

class Routes {
public:
    explicit Routes(Topology topology, Spreading spreading = Spreading::even);

    /// The route between two nodes, worked out when first asked for. From a node to itself it has no link. Throws
    /// InputError if no live links lead there.
    RouteId between(NodeId from, NodeId to);

    [[nodiscard]] std::span<const Hop> hops(RouteId route) const;
    [[nodiscard]] Seconds latency(RouteId route) const { return routes_[index(route)].latency; }
    [[nodiscard]] std::size_t size() const { return routes_.size(); }
    [[nodiscard]] const Topology& topology() const { return topology_; }

private:
    struct Route {
        std::uint64_t first = 0;  ///< in hops_
        std::uint32_t count = 0;
        Seconds latency;
    };
    RouteId find(NodeId from, NodeId to);
    /// Links to `to` from every node that a route from `from` may pass.
    const std::vector<std::uint16_t>& distances(NodeId from, NodeId to);
    void spread_hashed(NodeId from, NodeId to, const std::vector<std::uint16_t>& distances);
    void spread_evenly(NodeId from, NodeId to, const std::vector<std::uint16_t>& distances);
    [[noreturn]] void fail_without_route(NodeId from, NodeId to) const;

    Topology topology_;
    Spreading spreading_;
    Adjacency links_out_;  ///< of each node, its live links
    Distances search_;
    std::vector<Route> routes_;
    std::vector<Hop> hops_;
    std::unordered_map<std::uint64_t, RouteId> known_;  ///< by both ends; only looked up
    /// Links to a node from every other, by the node and, with groups, the group that the route starts from.
    std::map<std::pair<NodeId, std::int32_t>, std::vector<std::uint16_t>> distances_;
};

}  // namespace dodona::simulate
