#include "simulate/topology.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"

namespace dodona::simulate {

NodeId Topology::add_switch(std::string name, std::int32_t group) {
    nodes_.push_back({.name = std::move(name), .group = group});
    return id_at<NodeId>(nodes_.size() - 1);
}

NodeId Topology::add_endpoint(std::string name, std::int32_t group) {
    endpoints_.push_back(add_switch(std::move(name), group));
    return endpoints_.back();
}

LinkId Topology::add_link(NodeId from, NodeId to, const LinkRate& rate) {
    check(index(from) < nodes_.size() && index(to) < nodes_.size(), "a link joins two known nodes");
    const auto link = [&] { return fmt::format("link from {} to {}", node(from).name, node(to).name); };
    const double bandwidth = rate.bandwidth.in(unit::byte_per_second);
    if (!(bandwidth > 0) || !std::isfinite(bandwidth)) {
        fail({}, fmt::format("{}: its bandwidth is {} B/s", link(), bandwidth),
             "a bandwidth is above 0; cut a dead link");
    }
    if (!(rate.latency >= Seconds{}) || !std::isfinite(rate.latency.in(unit::second))) {
        fail({}, fmt::format("{}: its latency is {} s", link(), rate.latency.in(unit::second)),
             "a latency is 0 or more");
    }
    links_.push_back({.from = from, .to = to, .rate = rate});
    return id_at<LinkId>(links_.size() - 1);
}

LinkId Topology::connect(NodeId a, NodeId b, const LinkRate& rate) {
    const LinkId forth = add_link(a, b, rate);
    add_link(b, a, rate);
    return forth;
}

void Topology::degrade(LinkId link, double factor) {
    check(index(link) < links_.size(), "a known link is degraded");
    if (!(factor >= 0 && factor <= 1)) {
        const Link& degraded = links_[index(link)];
        fail({},
             fmt::format("link from {} to {}: degraded to {} of its bandwidth", node(degraded.from).name,
                         node(degraded.to).name, factor),
             "a factor is from 0 (dead) to 1");
    }
    links_[index(link)].factor = factor;
}

}  // namespace dodona::simulate
