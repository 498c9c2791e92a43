#include "files/level_file.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "files/heading.hpp"
#include "files/link_file.hpp"

namespace dodona::files {

namespace {

using cluster::Cluster;
using cluster::Level;
using cluster::LevelKind;

std::string level_kinds() {
    std::vector<std::string> words;
    for (const LevelKind kind : cluster::kLevelKinds) {
        words.emplace_back(name(kind));
    }
    return join(words);
}

/// A key that only levels of some kinds have.
bool belongs(const Value& value, const Level& level, std::string_view key, std::initializer_list<LevelKind> kinds) {
    if (!value || std::find(kinds.begin(), kinds.end(), level.kind) != kinds.end()) {
        return static_cast<bool>(value);
    }
    std::vector<std::string> words;
    for (const LevelKind kind : kinds) {
        words.emplace_back(name(kind));
    }
    value.error(fmt::format("a level of kind {} has no {}", name(level.kind), key),
                fmt::format("it belongs to levels of kind {}", join(words)));
    return false;
}

void read_sizes(const Value& value, Level& level) {
    double children = 1;
    for (const Value& item : value.list()) {
        level.sizes.push_back(item.whole(2, kMostDevices, 2));
        children *= static_cast<double>(level.sizes.back());
    }
    if (value.is_list() && level.sizes.empty()) {
        value.error("a torus without dimensions", "write the children along each: [16, 16, 8]");
    } else if (value.is_list() && !value.faults().has_errors() && children != static_cast<double>(level.size)) {
        value.error(fmt::format("{} children in all, but the level has size {}", children, level.size),
                    "the product of `sizes` is `size`");
    }
}

/// `true`, or a mapping of what differs from the links.
void read_in_network(const Value& value, Level& level) {
    cluster::InNetwork reduction{
        .bandwidth = static_cast<double>(level.links) * level.efficiency * level.bandwidth / level.taper,
        .latency = level.latency};
    if (!value.is_mapping()) {
        if (value.flag()) {
            level.in_network = reduction;
        }
        return;
    }
    Fields fields(value);
    if (const Value bandwidth = fields.find("bandwidth")) {
        reduction.bandwidth = bandwidth.quantity(Sign::positive, reduction.bandwidth);
    }
    if (const Value latency = fields.find("latency")) {
        reduction.latency = latency.quantity(Sign::not_negative, reduction.latency);
    }
    fields.finish();
    level.in_network = reduction;
}

/// What only some kinds have.
void read_particulars(Fields& fields, Level& level) {
    const Value taper = fields.find("taper");
    if (belongs(taper, level, "taper", {LevelKind::fat_tree})) {
        level.taper = taper.number({.least = 1}, level.taper);
    }
    const Value sizes = level.kind == LevelKind::torus
                            ? fields.require("sizes", "children along each dimension: [16, 16, 8]")
                            : fields.find("sizes");
    if (belongs(sizes, level, "sizes", {LevelKind::torus})) {
        read_sizes(sizes, level);
    }
    const Value routing = fields.find("routing");
    if (belongs(routing, level, "routing", {LevelKind::dragonfly})) {
        level.routing = routing.one_of(cluster::kRoutings, level.routing);
    }
    const Value in_network = fields.find("in_network");
    if (belongs(in_network, level, "in-network reduction",
                {LevelKind::switched, LevelKind::fat_tree, LevelKind::rail})) {
        read_in_network(in_network, level);
    }
}

/// A link by its name, {use: NAME, borrowed: 0.1} where it is not the one that was measured, or itself: {link: ...}.
cluster::Link read_link_of(const Value& value, const LinkFinder& links) {
    const auto open = [&](const Value& named) {
        const std::string name = named.text();
        return name.empty() ? cluster::Link{} : read_link(links.open(name, links.folder, named.where()));
    };
    try {
        if (!value.is_mapping()) {
            return open(value);
        }
        if (!value.node().members.empty() && value.node().members.front().key == "link") {
            return read_link(value, SourceIs::optional);
        }
        Fields fields(value);
        const Value use = fields.require("use", "the link: a built-in one, or a file");
        const double borrowed = fields.require("borrowed", "the error that this adds: 0.1").number({.least = 0}, 0);
        fields.finish();
        cluster::Link link = use ? open(use) : cluster::Link{};
        link.borrowed = borrowed;
        return link;
    } catch (const InputError& error) {
        absorb(value.faults(), error);
        return {};
    }
}

/// Of one device, or between nodes of one adapter: what a link file's bandwidth is of.
BytesPerSecond of_one(const Level& level) {
    switch (level.kind) {
        case LevelKind::all_to_all: return static_cast<double>(level.size - 1) * level.bandwidth;
        case LevelKind::ring: return static_cast<double>(level.links) * level.bandwidth;
        default: return level.bandwidth;
    }
}

/// Measured times are of one bandwidth.
void check_bandwidth(const Value& value, const Level& level) {
    if (value.faults().has_errors() || !level.link) {
        return;
    }
    const double off = of_one(level) / level.link->bandwidth - 1;
    if (off > 0.01 || off < -0.01) {
        value.error(fmt::format("{} was measured at {:g} GB/s, and this level has {:g}", level.link->name,
                                level.link->bandwidth.in(1_GB_per_s), of_one(level).in(1_GB_per_s)),
                    "its times hold at that bandwidth only; write `efficiency` to borrow no more than a share");
    }
}

/// Start-up and reach of the links: the level's own, or its link's.
void read_timing(Fields& fields, Level& level, const LinkFinder& links) {
    if (const Value link = fields.find("link")) {
        level.link = read_link_of(link, links);
        check_bandwidth(link, level);
    }
    const bool protocols = level.link && !level.link->protocols.empty();
    const bool unread = level.link && level.link->name.empty();
    const Value latency = protocols || unread ? fields.find("latency")
                                              : fields.require("latency", "of one message between children: 9 us");
    level.latency = latency.quantity(Sign::not_negative, Seconds{});
    const Value efficiency = fields.find("efficiency");
    level.efficiency = efficiency.bare().number({.least = 0, .most = 1, .without_least = true}, 1);
    for (const auto& [value, key] : {std::pair(latency, "latency"), std::pair(efficiency, "efficiency")}) {
        if (protocols && value) {
            value.error(fmt::format("the link {} has its own {}", level.link->name, key), "leave one of the two out");
        }
    }
    if (protocols) {
        level.latency = level.link->protocols.front().timing.step;
        for (const cluster::Protocol& protocol : level.link->protocols) {
            level.efficiency = protocol.timing.efficiency;  // of the last, for large messages
        }
    }
}

Level read_level(const Value& value, bool& is_node, const LinkFinder& links) {
    Level level;
    Fields fields(value);
    if (const Value name = fields.require("name", "what its units are called: node, rack, system")) {
        level.name = read_name(name);
    }
    level.size = fields.require("size", "how many children it joins").whole(1, kMostDevices);
    level.kind =
        fields.require("kind", fmt::format("one of {}", level_kinds())).one_of(cluster::kLevelKinds, level.kind);
    level.links = fields.find("links").whole(1, kMostDevices);
    level.bandwidth =
        fields.require("bandwidth", "of one link, one way: 50 GB/s").quantity(Sign::positive, BytesPerSecond{});
    read_timing(fields, level, links);
    read_particulars(fields, level);
    is_node = fields.find("node").flag();
    fields.finish();
    return level;
}

}  // namespace

void read_levels(const Value& value, Cluster& cluster, const LinkFinder& links) {
    std::set<std::string> names;
    bool has_node = false;
    double devices = 1;
    for (const Value& item : value.list()) {
        bool is_node = false;
        cluster.levels.push_back(read_level(item, is_node, links));
        const Level& level = cluster.levels.back();
        devices *= static_cast<double>(level.size);
        if (!level.name.empty() && !names.insert(level.name).second) {
            item.error(fmt::format("a second level \"{}\"", level.name), "levels have different names");
        }
        if (level.kind == LevelKind::rail && cluster.levels.size() == 1) {
            item.error("the first level joins devices, which have one position each",
                       "a rail level joins nodes: put the level inside the node before it");
        }
        if (is_node && has_node) {
            item.error("a second level that is the node", "mark one level with `node: true`");
        } else if (is_node) {
            cluster.node_level = cluster.levels.size() - 1;
            has_node = true;
        }
    }
    if (value.is_list() && cluster.levels.empty()) {
        value.error("no levels", "one level at least joins the devices: {name: node, size: 8, kind: switch, …}");
    }
    if (devices > static_cast<double>(kMostDevices)) {
        value.error(fmt::format("{} devices are more than {}", devices, kMostDevices));
    }
}

}  // namespace dodona::files
