#include "simulate/fabrics.hpp"

#include <string>

#include <fmt/format.h>

#include "base/diagnostic.hpp"

namespace dodona::simulate {

namespace {

void require_shape(bool is_sound, const char* what, const char* help) {
    if (!is_sound) {
        fail({}, what, help);
    }
}

std::vector<NodeId> add_endpoints(Topology& topology, std::size_t count, std::int32_t group = Node::kNoGroup) {
    std::vector<NodeId> endpoints;
    for (std::size_t i = 0; i < count; ++i) {
        endpoints.push_back(topology.add_endpoint(fmt::format("endpoint {}", topology.endpoints().size()), group));
    }
    return endpoints;
}

/// A part of a fat tree: its top switches, and the bandwidth of the endpoints below.
struct Part {
    std::vector<NodeId> tops;
    BytesPerSecond below;
};

/// The part that `levels` levels make up, lowest first. `above`: what tells it from its sisters, for names.
Part add_part(Topology& topology, const std::vector<FatTreeLevel>& levels, std::size_t height, const LinkRate& link,
              const std::string& place) {
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

/// Links the groups pairwise, `links` between each pair, in turn from the routers of each group.
void add_global_links(Topology& topology, const std::vector<std::vector<NodeId>>& routers, std::size_t links,
                      const LinkRate& rate) {
    std::vector<std::size_t> turn(routers.size());
    for (std::size_t a = 0; a < routers.size(); ++a) {
        for (std::size_t b = a + 1; b < routers.size(); ++b) {
            for (std::size_t link = 0; link < links; ++link) {
                topology.connect(routers[a][turn[a]++ % routers[a].size()], routers[b][turn[b]++ % routers[b].size()],
                                 rate);
            }
        }
    }
}

}  // namespace

Topology star(std::size_t endpoints, const LinkRate& link) { return fat_tree({{.size = endpoints}}, link); }

Topology ring(std::size_t endpoints, const LinkRate& link) { return torus({endpoints}, link); }

Topology torus(const std::vector<std::size_t>& sizes, const LinkRate& link) {
    std::size_t count = 1;
    for (const std::size_t size : sizes) {
        count *= size;
    }
    require_shape(count > 0 && !sizes.empty(), "a torus without endpoints", "give each dimension a size of 1 or more");
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

Topology full_mesh(std::size_t endpoints, const LinkRate& link) {
    require_shape(endpoints > 0, "a mesh without endpoints", "give it 1 or more");
    Topology topology;
    const std::vector<NodeId> nodes = add_endpoints(topology, endpoints);
    for (std::size_t a = 0; a < endpoints; ++a) {
        for (std::size_t b = a + 1; b < endpoints; ++b) {
            topology.connect(nodes[a], nodes[b], link);
        }
    }
    return topology;
}

Topology fat_tree(const std::vector<FatTreeLevel>& levels, const LinkRate& link) {
    require_shape(!levels.empty(), "a fat tree without a level", "give it one level of switches or more");
    for (const FatTreeLevel& level : levels) {
        require_shape(level.size > 0 && level.switches > 0, "a level of a fat tree without parts or switches",
                      "give it 1 or more of both");
        require_shape(level.taper >= 1, "a fat tree with a taper below 1", "1 is no oversubscription, 4 is a quarter");
    }
    Topology topology;
    add_part(topology, levels, levels.size(), link, "");
    return topology;
}

Topology dragonfly(const Dragonfly& description) {
    const std::size_t others = description.groups - 1;
    const std::size_t global = description.routers * description.global_links;
    require_shape(description.groups >= 2 && description.routers > 0 && description.endpoints > 0,
                  "a dragonfly without groups, routers or endpoints",
                  "give it 2 groups or more, 1 or more of the others");
    require_shape(global >= others && global % others == 0,
                  "a dragonfly whose global links do not reach all groups equally",
                  "routers * global links of a router is a multiple of the number of the other groups");
    Topology topology;
    std::vector<std::vector<NodeId>> routers(description.groups);
    for (std::size_t group = 0; group < description.groups; ++group) {
        const auto number = static_cast<std::int32_t>(group);
        for (std::size_t router = 0; router < description.routers; ++router) {
            const NodeId node = topology.add_switch(fmt::format("router {} of group {}", router, group), number);
            for (const NodeId endpoint : add_endpoints(topology, description.endpoints, number)) {
                topology.connect(endpoint, node, description.endpoint);
            }
            for (const NodeId other : routers[group]) {
                topology.connect(other, node, description.local);
            }
            routers[group].push_back(node);
        }
    }
    add_global_links(topology, routers, global / others, description.global);
    return topology;
}

}  // namespace dodona::simulate
