#include "files/level_file.hpp"

#include <utility>

#include "files/description_keys.hpp"
#include "files/link_file.hpp"
#include "files/text_forms.hpp"

namespace dodona::files {

namespace {

using cluster::InNetwork;
using cluster::Level;
using cluster::LevelKind;

Condition of_kind(std::vector<std::string_view> kinds) { return {"kind", std::move(kinds)}; }

bool has_protocols(const LevelEntry& entry) { return entry.level.link && !entry.level.link->protocols.empty(); }

/// What a link file's bandwidth is of: one device, or between nodes one adapter.
BytesPerSecond of_one(const Level& level) {
    switch (level.kind) {
        case LevelKind::all_to_all: return static_cast<double>(level.size - 1) * level.bandwidth;
        case LevelKind::ring: return static_cast<double>(level.links) * level.bandwidth;
        default: return level.bandwidth;
    }
}

/// Measured times hold at one bandwidth only.
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

/// Start-up time and share of the bandwidth are the level's own, or its link's.
void settle_timing(Fields& fields, LevelEntry& entry) {
    Level& level = entry.level;
    if (const Value link = fields.find("link")) {
        check_bandwidth(link, level);
    }
    if (!has_protocols(entry)) {
        const bool is_unread = level.link && level.link->name.empty();
        if (!is_unread) {
            static_cast<void>(fields.require("latency", "of one message between children: 9 us"));
        }
        return;
    }
    for (const char* key : {"latency", "efficiency"}) {
        if (const Value value = fields.find(key)) {
            value.error(fmt::format("the link {} has its own {}", level.link->name, key), "leave one of the two out");
        }
    }
    level.latency = level.link->protocols.front().timing.step;
    level.efficiency = level.link->protocols.back().timing.efficiency;  // of large messages
}

/// What a reduction in the network does not say is as of the links.
void settle_in_network(Fields& fields, Level& level) {
    if (!level.in_network) {
        return;
    }
    const Value value = fields.find_unlisted("in_network");
    Fields given(value.is_mapping() ? value : Value());
    if (!given.find("bandwidth")) {
        level.in_network->bandwidth =
            static_cast<double>(level.links) * level.efficiency * level.bandwidth / level.taper;
    }
    if (!given.find("latency")) {
        level.in_network->latency = level.latency;
    }
}

void check_sizes(const Value& value, const Level& level) {
    double children = 1;
    for (const std::int64_t size : level.sizes) {
        children *= static_cast<double>(size);
    }
    if (value.is_list() && !value.faults().has_errors() && children != static_cast<double>(level.size)) {
        value.error(fmt::format("{} children in all, but the level has size {}", children, level.size),
                    "the product of `sizes` is `size`");
    }
}

void check_level(Fields& fields, LevelEntry& entry, const Reading& /*reading*/) {
    settle_timing(fields, entry);
    if (const Value segment = fields.find_unlisted("segment");
        segment && entry.level.segment && *entry.level.segment > entry.level.size) {
        segment.error(
            fmt::format("{} children are more than the {} of a unit", *entry.level.segment, entry.level.size));
    }
    settle_in_network(fields, entry.level);
    if (const Value sizes = fields.find_unlisted("sizes"); sizes && !entry.level.sizes.empty()) {
        check_sizes(sizes, entry.level);
    }
}

/// NAME, {use: NAME, borrowed: 0.1} or the link itself.
ValueType link_type() {
    ReferenceType link = reference_type(description<cluster::Link>, &Openers::link);
    link.name_key = "use";
    link.name_help = "the link: a built-in one, or a file";
    link.changes = {"borrowed"};
    link.changes_required = true;
    return optional_type<cluster::Link>({std::move(link)});
}

}  // namespace

template <>
const Description& description<InNetwork>() {
    static const Description described{
        .noun = "reduction in the network",
        .summary =
            "The switches reduce and multiply on the way (NVLS, SHARP); the algorithm `in-network` uses it. "
            "`true`: at the links' own bandwidth and latency.",
        .keys = {optional<&InNetwork::bandwidth>("bandwidth", "Of one child, all its links together, one way.",
                                                 {.range = kPositive, .default_text = "of the links"}),
                 optional<&InNetwork::latency>("latency", "Of one message into the reduction and back.",
                                               {.range = kNotNegative, .default_text = "of the links"})},
        .true_is_all_defaults = true,
        .one_line = true,
        .defaults = default_of<InNetwork>};
    return described;
}

template <>
const Description& description<LevelEntry>() {
    static const Description described{
        .noun = "level",
        .summary =
            "Level i joins the children that level i - 1 makes; the children of level 0 are devices. `links` are "
            "those of one child, shared by all devices inside it. What each kind costs: oracle/cost/path.hpp.",
        .keys =
            {required<&LevelEntry::level, &Level::name>(
                 "name", "What the units are called that it makes: node, rack.",
                 {.help = "what its units are called: node, rack, system", .form = &kName}),
             required<&LevelEntry::level, &Level::size>(
                 "size", "How many children one unit joins.",
                 {.range = {.least = 1, .most = kMaxDevices}, .help = "how many children it joins"}),
             required<&LevelEntry::level, &Level::kind>(
                 "kind", "How the children are joined.",
                 {.help = fmt::format("one of {}", join(value_names<LevelKind>()))}),
             optional<&LevelEntry::level, &Level::segment>(
                 "segment",
                 "The most children of one unit that a job over several units takes: equally many of each, and at "
                 "least half (Slurm's --segment). A job that fills whole units takes all of them.",
                 {.range = {.least = 1, .most = kMaxDevices},
                  .default_text = "all: units are filled one after the other"}),
             optional<&LevelEntry::level, &Level::links>("links", "Links of one child; what they are of: see `kind`.",
                                                         {.range = {.least = 1, .most = kMaxDevices}}),
             required<&LevelEntry::level, &Level::bandwidth>(
                 "bandwidth", "Bandwidth of one link in one direction.",
                 {.range = kPositive, .help = "of one link, one way: 50 GB/s"}),
             optional<&LevelEntry::is_node>("node",
                                            "The units of this level are the nodes. At most one level may say so.",
                                            {.default_text = "true of the first level"}),
             optional_as<&LevelEntry::level, &Level::link>(
                 link_type(), "link",
                 "Measured timing of collectives over such links, in place of `latency` and `efficiency`: the name of "
                 "a link, a file, or the link itself. {use: NAME, borrowed: 0.1}: a sibling was measured, and "
                 "`borrowed` is added to every error."),
             optional<&LevelEntry::level, &Level::latency>(
                 "latency", "Of one message between two children, start-up included. Required without a link.",
                 {.range = kNotNegative,
                  .default_text = "the link's",
                  .always_written = true,
                  .is_derived = test<LevelEntry, has_protocols>}),
             optional<&LevelEntry::level, &Level::efficiency>(
                 "efficiency",
                 "Share of the bandwidth that collectives reach, by any algorithm; not of a reduction in the network, "
                 "whose bandwidth is as measured.",
                 {.range = kPositiveShare,
                  .default_text = "1, or the link's",
                  .is_derived = test<LevelEntry, has_protocols>}),
             optional<&LevelEntry::level, &Level::taper>("taper",
                                                         "Oversubscription: links x bandwidth / taper leave a child.",
                                                         {.range = at_least(1), .only = of_kind({"fat-tree"})}),
             required<&LevelEntry::level, &Level::sizes>(
                 "sizes", "Children along each dimension, innermost first; their product is `size`.",
                 {.range = {.least = 2, .most = kMaxDevices},
                  .help = "children along each dimension: [16, 16, 8]",
                  .only = of_kind({"torus"}),
                  .none = "a torus without dimensions",
                  .none_help = "write the children along each: [16, 16, 8]"}),
             optional<&LevelEntry::level, &Level::routing>("routing", "How messages go from group to group.",
                                                           {.only = of_kind({"dragonfly"})}),
             optional<&LevelEntry::level, &Level::in_network>("in_network",
                                                              "In-network reduction by the switches (NVLS, SHARP).",
                                                              {.only = of_kind({"switch", "fat-tree", "rail"})})},
        .example = "{name: node, size: 8, kind: switch, bandwidth: 300 GB/s, latency: 3 us}",
        .check = checked<LevelEntry, check_level>,
        .defaults = default_of<LevelEntry>};
    return described;
}

std::vector<LevelEntry> level_entries(const cluster::Cluster& cluster) {
    std::vector<LevelEntry> entries;
    for (const Level& level : cluster.levels) {
        entries.push_back({level, entries.size() == cluster.node_level && cluster.node_level > 0});
    }
    return entries;
}

void set_levels(const std::vector<LevelEntry>& entries, cluster::Cluster& cluster, const Value& value,
                const Reading& /*reading*/) {
    const std::vector<Value> items = value.is_list() ? value.list() : std::vector<Value>{};
    bool has_node = false;
    double devices = 1;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto& [level, is_node] = entries[i];
        devices *= static_cast<double>(level.size);
        if (level.kind == LevelKind::rail && i == 0) {
            items[i].error("the first level joins devices, which have one position each",
                           "a rail level joins nodes: put the level inside the node before it");
        }
        if (is_node && has_node) {
            items[i].error("a second level that is the node", "mark one level with `node: true`");
        } else if (is_node) {
            cluster.node_level = i;
            has_node = true;
        }
        cluster.levels.push_back(level);
    }
    cluster.levels_as_node = cluster.levels.empty() ? 0 : cluster.fast_levels();
    if (devices > static_cast<double>(kMaxDevices)) {
        value.error(fmt::format("{} devices are more than {}", devices, kMaxDevices));
    }
}

}  // namespace dodona::files
