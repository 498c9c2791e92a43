#include "play/cluster_topology.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.hpp"

namespace dodona::play {

namespace {

using cluster::Level;
using cluster::LevelKind;
using simulate::LinkRate;
using simulate::NodeId;

/// A part of the cluster while it is built.
struct Part {
    std::vector<NodeId> devices;
    NodeId centre{};  ///< the switch of its level, or its only device
    std::string name;
};

/// The fastest protocol for large messages.
cluster::LinkTiming timing_of(const Level& level) {
    cluster::LinkTiming best = level.timing(0);
    for (std::size_t protocol = 1; protocol < level.protocols(); ++protocol) {
        if (level.timing(protocol).efficiency > best.efficiency) {
            best = level.timing(protocol);
        }
    }
    return best;
}

class TopologyBuilder {
public:
    TopologyBuilder(const cluster::Cluster& cluster, std::int64_t ranks) : cluster_(cluster), ranks_(ranks) {}

    simulate::Topology build() {
        std::vector<Part> parts;
        for (std::int64_t rank = 0; rank < ranks_; ++rank) {
            const std::string name = fmt::format("rank{}", rank);
            const NodeId node = topology_.add_endpoint(name);
            parts.push_back({{node}, node, name});
        }
        for (std::size_t level = 0; level < cluster_.levels.size() && parts.size() > 1; ++level) {
            if (level == cluster_.node_level + 1) {
                passed_ = {};  // messages between nodes start at the adapters
            }
            parts = joined(level, parts);
        }
        return std::move(topology_);
    }

private:
    std::vector<Part> joined(std::size_t level, const std::vector<Part>& children) {
        std::vector<Part> domains;
        const auto size = static_cast<std::size_t>(cluster_.taken(level, ranks_));
        for (std::size_t first = 0; first < children.size(); first += size) {
            const std::size_t end = std::min(first + size, children.size());
            domains.push_back(domain(level,
                                     {children.begin() + static_cast<std::ptrdiff_t>(first),
                                      children.begin() + static_cast<std::ptrdiff_t>(end)},
                                     domains.size()));
        }
        passed_ = max(passed_, timing_of(cluster_.levels[level]).step);
        return domains;
    }

    Part domain(std::size_t index, const std::vector<Part>& children, std::size_t number) {
        const Level& level = cluster_.levels[index];
        Part whole{.devices = {}, .centre = {}, .name = fmt::format("{}{}", level.name, number)};
        whole.centre = topology_.add_switch(whole.name);
        for (const Part& child : children) {
            whole.devices.insert(whole.devices.end(), child.devices.begin(), child.devices.end());
        }
        switch (level.kind) {
            case LevelKind::switched:
            case LevelKind::fat_tree: join_at_switch(index, children, whole); break;
            case LevelKind::rail: join_by_rails(index, children, whole); break;
            case LevelKind::bus: join_by_bus(index, children, whole); break;
            case LevelKind::all_to_all: join_in_pairs(index, children, whole, 1); break;
            case LevelKind::dragonfly:
                join_in_pairs(
                    index, children, whole,
                    static_cast<double>(level.links) / static_cast<double>(std::max<std::int64_t>(1, level.size - 1)));
                break;
            case LevelKind::ring: join_in_torus(index, children, whole, {level.size}); break;
            case LevelKind::torus:
                join_in_torus(index, children, whole, level.sizes.empty() ? std::vector{level.size} : level.sizes);
                break;
        }
        return whole;
    }

    /// `links` of a level's links; `parts` of its latency are the link's.
    [[nodiscard]] LinkRate rate(std::size_t index, double links, double parts) const {
        const cluster::LinkTiming timing = timing_of(cluster_.levels[index]);
        return {.bandwidth = links * timing.efficiency * cluster_.levels[index].bandwidth,
                .latency = parts * max(Seconds{}, timing.step - passed_)};
    }

    /// A link that is never the bottleneck and takes no time.
    [[nodiscard]] LinkRate free(std::size_t index) const {
        return {.bandwidth = 1e6 * rate(index, static_cast<double>(cluster_.levels[index].links), 0).bandwidth};
    }

    /// Where a child's links of a level begin, and end: apart, so that devices of a child do not meet there.
    struct Adapter {
        NodeId out{};
        NodeId in{};
    };

    std::vector<Adapter> adapters(std::size_t index, const Part& child) {
        const auto links = static_cast<std::size_t>(cluster_.levels[index].links);
        std::vector<Adapter> made;
        for (std::size_t link = 0; link < links; ++link) {
            const std::string name = fmt::format("{}/link{}", child.name, link);
            made.push_back({topology_.add_switch(name), topology_.add_switch(name)});
        }
        for (std::size_t d = 0; d < child.devices.size(); ++d) {
            const Adapter& own = made[d * links / child.devices.size()];
            topology_.add_link(child.devices[d], own.out, free(index));
            topology_.add_link(own.in, child.devices[d], free(index));
        }
        return made;
    }

    void connect(const Adapter& adapter, NodeId to, const LinkRate& rate) {
        topology_.add_link(adapter.out, to, rate);
        topology_.add_link(to, adapter.in, rate);
    }

    void join_at_switch(std::size_t index, const std::vector<Part>& children, const Part& whole) {
        const Level& level = cluster_.levels[index];
        const auto links = static_cast<double>(level.links);
        for (const Part& child : children) {
            if (child.devices.size() == 1) {
                topology_.connect(child.centre, whole.centre, rate(index, links / level.taper, 0.5));
            } else if (index != cluster_.node_level + 1) {
                topology_.connect(child.centre, whole.centre, rate(index, links / level.taper, 0.5));
            } else if (level.taper == 1) {
                for (const Adapter& adapter : adapters(index, child)) {
                    connect(adapter, whole.centre, rate(index, 1, 0.5));
                }
            } else {
                const NodeId uplink = topology_.add_switch(child.name + "/uplink");
                for (const Adapter& adapter : adapters(index, child)) {
                    connect(adapter, uplink, rate(index, 1, 0.5));
                }
                topology_.connect(uplink, whole.centre, rate(index, links / level.taper, 0));
            }
        }
    }

    void join_by_rails(std::size_t index, const std::vector<Part>& children, const Part& whole) {
        const Level& level = cluster_.levels[index];
        std::vector<NodeId> rails;
        for (std::int64_t rail = 0; rail < level.links; ++rail) {
            rails.push_back(topology_.add_switch(fmt::format("{}/rail{}", whole.name, rail)));
        }
        if (index + 1 < cluster_.levels.size()) {  // otherwise a message never changes its rail
            for (const NodeId rail : rails) {
                topology_.connect(rail, whole.centre, free(index));
            }
        }
        for (const Part& child : children) {
            const std::vector<Adapter> mine = adapters(index, child);
            for (std::size_t link = 0; link < mine.size(); ++link) {
                connect(mine[link], rails[link], rate(index, 1 / level.taper, 0.5));
            }
        }
    }

    void join_by_bus(std::size_t index, const std::vector<Part>& children, const Part& whole) {
        const NodeId in = topology_.add_switch(whole.name + "/bus");
        topology_.add_link(in, whole.centre, rate(index, static_cast<double>(cluster_.levels[index].links), 1));
        for (const Part& child : children) {
            topology_.add_link(child.centre, in, free(index));
            topology_.add_link(whole.centre, child.centre, free(index));
        }
    }

    void join_in_pairs(std::size_t index, const std::vector<Part>& children, const Part& whole, double links) {
        for (std::size_t a = 0; a < children.size(); ++a) {
            for (std::size_t b = a + 1; b < children.size(); ++b) {
                topology_.connect(children[a].centre, children[b].centre, rate(index, links, 1));
            }
        }
        connect_outwards(index, children, whole);
    }

    /// Neighbours along each dimension. A ring of one link goes one way.
    void join_in_torus(std::size_t index, const std::vector<Part>& children, const Part& whole,
                       const std::vector<std::int64_t>& sizes) {
        const Level& level = cluster_.levels[index];
        const bool one_way = level.kind == LevelKind::ring && level.links == 1;
        const double links = level.kind == LevelKind::ring ? std::max(1.0, static_cast<double>(level.links) / 2)
                                                           : static_cast<double>(level.links);
        std::int64_t stride = 1;
        for (const std::int64_t size : sizes) {
            for (std::int64_t c = 0; size > 1 && c < static_cast<std::int64_t>(children.size()); ++c) {
                const std::int64_t next = c + (c / stride % size + 1 < size ? stride : -(size - 1) * stride);
                if (next >= static_cast<std::int64_t>(children.size()) || (size == 2 && next < c && !one_way)) {
                    continue;  // not in the job; the two ways between two are the same
                }
                const NodeId from = children[static_cast<std::size_t>(c)].centre;
                const NodeId to = children[static_cast<std::size_t>(next)].centre;
                if (one_way) {
                    topology_.add_link(from, to, rate(index, links, 1));
                } else {
                    topology_.connect(from, to, rate(index, links, 1));
                }
            }
            stride *= size;
        }
        connect_outwards(index, children, whole);
    }

    /// Links of larger domains begin at the switch of a domain.
    void connect_outwards(std::size_t index, const std::vector<Part>& children, const Part& whole) {
        const auto has_adapters = [&](const Level& level) {
            return level.kind == LevelKind::rail ||
                   (index == cluster_.node_level &&
                    (level.kind == LevelKind::switched || level.kind == LevelKind::fat_tree));
        };
        if (index + 1 < cluster_.levels.size() && !has_adapters(cluster_.levels[index + 1])) {
            for (const Part& child : children) {
                topology_.connect(child.centre, whole.centre, free(index));
            }
        }
    }

    const cluster::Cluster& cluster_;
    std::int64_t ranks_;
    Seconds passed_;  ///< latency that a message has from the levels below
    simulate::Topology topology_;
};

}  // namespace

simulate::Topology cluster_topology(const cluster::Cluster& cluster, std::int64_t ranks) {
    return TopologyBuilder(cluster, ranks).build();
}

void degrade(simulate::Topology& topology, const std::string& name, double factor) {
    bool found = false;
    for (std::size_t i = 0; i < topology.links().size(); ++i) {
        const simulate::Link& link = topology.links()[i];
        if (topology.node(link.from).name == name || topology.node(link.to).name == name) {
            topology.degrade(simulate::id_at<simulate::LinkId>(i), factor);
            found = true;
        }
    }
    if (!found) {
        std::string some;
        for (const simulate::Node& node : topology.nodes()) {
            if (some.size() < 60 && node.name.find("rank") != 0 && some.find(node.name) == std::string::npos) {
                some += (some.empty() ? "" : ", ") + node.name;
            }
        }
        fail({}, fmt::format("the network has no {}", name), fmt::format("rank0 and following, {} and so on", some));
    }
}

}  // namespace dodona::play
