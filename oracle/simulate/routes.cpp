#include "simulate/routes.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::simulate {

namespace {

Adjacency live_links_out(const Topology& topology) {
    std::vector<Adjacency::Edge> edges;
    for (std::size_t i = 0; i < topology.links().size(); ++i) {
        if (topology.links()[i].factor > 0) {
            edges.push_back({static_cast<std::uint32_t>(topology.links()[i].from), static_cast<std::uint32_t>(i)});
        }
    }
    return {topology.nodes().size(), edges};
}

}  // namespace

Routes::Routes(Topology topology, Spreading spreading)
    : topology_(std::move(topology)),
      spreading_(spreading),
      links_out_(live_links_out(topology_)),
      search_(topology_) {}

std::span<const Hop> Routes::hops(RouteId route) const {
    const Route& found = routes_[index(route)];
    return std::span(hops_).subspan(found.first, found.count);
}

RouteId Routes::between(NodeId from, NodeId to) {
    check(index(from) < topology_.nodes().size() && index(to) < topology_.nodes().size(),
          "a route joins two known nodes");
    const std::uint64_t ends = static_cast<std::uint64_t>(from) << 32U | static_cast<std::uint64_t>(to);
    const auto known = known_.find(ends);
    if (known != known_.end()) {
        return known->second;
    }
    const RouteId route = find(from, to);
    known_.emplace(ends, route);
    return route;
}

RouteId Routes::find(NodeId from, NodeId to) {
    Route route{.first = hops_.size()};
    if (from != to) {
        const std::vector<std::uint16_t>& links = distances(from, to);
        if (links[index(from)] == kUnreachable) {
            fail_without_route(from, to);
        }
        spreading_ == Spreading::hashed ? spread_hashed(from, to, links) : spread_evenly(from, to, links);
    }
    route.count = static_cast<std::uint32_t>(hops_.size() - route.first);
    // Hops lie in the order of their distance from `from`: the latest arrival at each node is known when it is left.
    std::map<NodeId, Seconds> latest;
    for (const Hop& hop : std::span(hops_).subspan(route.first)) {
        const Link& link = topology_.link(hop.link);
        Seconds& arrival = latest[link.to];
        arrival = max(arrival, latest[link.from] + link.rate.latency);
    }
    route.latency = latest[to];
    routes_.push_back(route);
    return id_at<RouteId>(routes_.size() - 1);
}

void Routes::spread_hashed(NodeId from, NodeId to, const std::vector<std::uint16_t>& distances) {
    const auto leads_on = [&](std::uint32_t link) {
        const std::size_t next = index(topology_.links()[link].to);
        return distances[next] != kUnreachable && distances[next] + 1 == distances[index(topology_.links()[link].from)];
    };
    for (NodeId node = from; node != to;) {
        const std::span<const std::uint32_t> links = links_out_.of(index(node));
        const auto choices = static_cast<std::uint64_t>(std::count_if(links.begin(), links.end(), leads_on));
        std::uint64_t chosen = random_bits(index(from), index(to), index(node)) % choices;
        const auto link = std::find_if(links.begin(), links.end(),
                                       [&](std::uint32_t each) { return leads_on(each) && chosen-- == 0; });
        hops_.push_back({.link = LinkId{*link}});
        node = topology_.links()[*link].to;
    }
}

void Routes::spread_evenly(NodeId from, NodeId to, const std::vector<std::uint16_t>& distances) {
    std::map<NodeId, double> here{{from, 1}};  // nodes at one distance and the share that they pass
    while (!here.contains(to)) {
        std::map<NodeId, double> next;
        for (const auto& [node, share] : here) {
            const std::size_t first = hops_.size();
            for (const std::uint32_t link : links_out_.of(index(node))) {
                const std::size_t other = index(topology_.links()[link].to);
                if (distances[other] != kUnreachable && distances[other] + 1 == distances[index(node)]) {
                    hops_.push_back({.link = LinkId{link}});
                }
            }
            const double part = share / static_cast<double>(hops_.size() - first);
            for (std::size_t i = first; i < hops_.size(); ++i) {
                hops_[i].share = part;
                next[topology_.link(hops_[i].link).to] += part;
            }
        }
        here = std::move(next);
    }
}

const std::vector<std::uint16_t>& Routes::distances(NodeId from, NodeId to) {
    const std::int32_t group = topology_.node(from).group;
    const auto known = distances_.find({to, group});
    return known != distances_.end() ? known->second
                                     : distances_.emplace(std::pair{to, group}, search_.to(to, group)).first->second;
}

void Routes::fail_without_route(NodeId from, NodeId to) const {
    std::vector<std::string> dead;
    for (const Link& link : topology_.links()) {
        if (link.factor == 0) {
            dead.push_back(fmt::format("{} to {}", topology_.node(link.from).name, topology_.node(link.to).name));
        }
    }
    fail({}, fmt::format("no route from {} to {}", topology_.node(from).name, topology_.node(to).name),
         dead.empty() ? "add the links that lead there" : fmt::format("dead links: {}", join_some(dead)));
}

}  // namespace dodona::simulate
