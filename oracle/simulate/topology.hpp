// A network as nodes and directed links. Endpoints send and receive; switches pass on. Which device sits at which
// endpoint is the caller's to know.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "simulate/ids.hpp"

namespace dodona::simulate {

/// What a link can do, in one direction.
struct LinkRate {
    BytesPerSecond bandwidth;
    Seconds latency;
};

struct Link {
    NodeId from{};
    NodeId to{};
    LinkRate rate;
    double factor = 1;  ///< share of the bandwidth that is left; 0: the link is dead

    [[nodiscard]] BytesPerSecond bandwidth() const { return factor * rate.bandwidth; }
};

struct Node {
    std::string name;
    /// Minimal routing of a dragonfly: a route passes no group but those of its ends. kNoGroup: any route may pass.
    std::int32_t group = -1;
    static constexpr std::int32_t kNoGroup = -1;
};

class Topology {
public:
    NodeId add_endpoint(std::string name, std::int32_t group = Node::kNoGroup);
    NodeId add_switch(std::string name, std::int32_t group = Node::kNoGroup);
    /// Throws InputError for a bandwidth that is not above 0 and a latency below 0.
    LinkId add_link(NodeId from, NodeId to, const LinkRate& rate);
    /// Links in both directions; returns the one from `a` to `b`. The one back has the next number.
    LinkId connect(NodeId a, NodeId b, const LinkRate& rate);

    /// Leaves `factor` of a link's bandwidth, from 0 (dead) to 1.
    void degrade(LinkId link, double factor);
    void cut(LinkId link) { degrade(link, 0); }

    [[nodiscard]] std::span<const NodeId> endpoints() const { return endpoints_; }
    [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
    [[nodiscard]] std::span<const Link> links() const { return links_; }
    [[nodiscard]] const Node& node(NodeId id) const { return nodes_[index(id)]; }
    [[nodiscard]] const Link& link(LinkId id) const { return links_[index(id)]; }

private:
    std::vector<Node> nodes_;
    std::vector<Link> links_;
    std::vector<NodeId> endpoints_;
};

}  // namespace dodona::simulate
