// Common networks as topologies. Endpoints are numbered from 0 in the order in which their switches are built: those of
// one switch or node follow each other. Every link counts with its latency: a message through one switch has two of them.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "simulate/routes.hpp"
#include "simulate/task_graph.hpp"
#include "simulate/topology.hpp"

namespace dodona::simulate {

inline std::vector<NodeId> add_endpoints(Topology& topology, std::size_t count) {
    std::vector<NodeId> endpoints;
    for (std::size_t i = 0; i < count; ++i) {
        endpoints.push_back(topology.add_endpoint(fmt::format("endpoint {}", topology.endpoints().size())));
    }
    return endpoints;
}

/// One level of switches of a fat tree.
struct FatTreeLevel {
    std::size_t size = 1;      ///< parts of the level below (endpoints for the lowest) under each part of this one
    std::size_t switches = 1;  ///< of each part, each linked to every switch of each part below
    /// Oversubscription: bandwidth into this level from below over that out of what is below. The links from part to
    /// part share what the taper leaves equally. The lowest level has none.
    double taper = 1;
};

/// A part of a fat tree: its top switches, and the bandwidth of the endpoints below.
struct Part {
    std::vector<NodeId> tops;
    BytesPerSecond below;
};

/// The part that `levels` levels make up, lowest first. `above`: what tells it from its sisters, for names.
inline Part add_part(Topology& topology, const std::vector<FatTreeLevel>& levels, std::size_t height,
                     const LinkRate& link, const std::string& place) {
    if (height == 0) {
        return {add_endpoints(topology, 1), link.bandwidth};
    }
    const FatTreeLevel& level = levels[height - 1];
    std::vector<Part> parts;
    for (std::size_t i = 0; i < level.size; ++i) {
        parts.push_back(add_part(topology, levels, height - 1, link, fmt::format("{}.{}", place, i)));
    }
    Part whole;
    for (std::size_t i = 0; i < level.switches; ++i) {
        whole.tops.push_back(topology.add_switch(fmt::format("switch {}{}, level {}", i, place, height)));
    }
    const double taper = height == 1 ? 1 : level.taper;
    for (const Part& part : parts) {
        const auto links = static_cast<double>(part.tops.size() * whole.tops.size());
        const LinkRate up{.bandwidth = part.below / taper / links, .latency = link.latency};
        for (const NodeId lower : part.tops) {
            for (const NodeId upper : whole.tops) {
                topology.connect(lower, upper, up);
            }
        }
        whole.below += part.below / taper;
    }
    return whole;
}

/// A fat tree (folded Clos network), lowest level first. Through level i go 1 / (taper_2 ... taper_i) of the bandwidth
/// of the endpoints below. Source: Leiserson, "Fat-trees: universal networks for hardware-efficient supercomputing",
/// IEEE Trans. Computers C-34(10), 1985.
inline Topology fat_tree(const std::vector<FatTreeLevel>& levels, const LinkRate& link) {
    Topology topology;
    add_part(topology, levels, levels.size(), link, "");
    return topology;
}

/// `endpoints` at one switch that is never the bottleneck.
inline Topology star(std::size_t endpoints, const LinkRate& link) { return fat_tree({{.size = endpoints}}, link); }

/// Endpoint i at (i mod s1, i / s1 mod s2, ...), linked to both neighbours along every dimension. A dimension of two
/// has one link between its two, as the two ways round are the same.
inline Topology torus(const std::vector<std::size_t>& sizes, const LinkRate& link) {
    std::size_t count = 1;
    for (const std::size_t size : sizes) {
        count *= size;
    }
    Topology topology;
    const std::vector<NodeId> endpoints = add_endpoints(topology, count);
    std::size_t stride = 1;
    for (const std::size_t size : sizes) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = i / stride % size;
            const std::size_t next = at + 1 < size ? i + stride : i - at * stride;
            if (size > 2 || at + 1 < size) {
                topology.connect(endpoints[i], endpoints[next], link);
            }
        }
        stride *= size;
    }
    return topology;
}

/// Each endpoint linked to the next and the previous one.
inline Topology ring(std::size_t endpoints, const LinkRate& link) { return torus({endpoints}, link); }

/// `steps` steps in which each member passes an equal part of the buffer on round the ring: n - 1 gather or scatter it,
/// 2 (n - 1) reduce it for all. A member passes on once it has passed on the part before and got this one.
inline void pass_around(TaskGraphBuilder& builder, Routes& routes, const std::vector<NodeId>& members, Bytes buffer,
                        std::size_t steps) {
    const std::size_t n = members.size();
    std::vector<TaskId> last;
    for (std::size_t step = 0; step < steps; ++step) {
        std::vector<TaskId> sends;
        for (std::size_t i = 0; i < n; ++i) {
            const RouteId route = routes.between(members[i], members[(i + 1) % n]);
            sends.push_back(
                builder.add({}, {.route = route, .bytes = buffer / static_cast<double>(n)},
                            step == 0 ? std::vector<TaskId>{} : std::vector{last[i], last[(i + n - 1) % n]}));
        }
        last = std::move(sends);
    }
}

}  // namespace dodona::simulate
