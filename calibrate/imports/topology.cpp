#include "calibrate/imports/topology.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <fmt/format.h>

#include "base/check.hpp"
#include "calibrate/imports/link_speeds.hpp"

namespace dodona::calibrate {

namespace {

using cluster::LevelKind;

constexpr std::string_view kNvlinkStep =
    "NVIDIA/nccl at 01afd20: src/graph/tuning.cc, NVLink step of a ring with LL128";
constexpr std::string_view kPcieStep = "NVIDIA/nccl at 01afd20: src/graph/tuning.cc, PCIe step of a ring with LL128";
constexpr std::string_view kNetworkStep =
    "NVIDIA/nccl at 01afd20: src/graph/tuning.cc, network step of a ring with LL128";

/// Devices that meet at a stage: by NVLink, under PCIe bridges, under one processor, in the node.
struct Stage {
    std::string_view name;
    PathClass widest;
};
constexpr std::array kStages{Stage{"nvlink", PathClass::nvlink}, Stage{"switch", PathClass::bridges},
                             Stage{"socket", PathClass::numa_node}, Stage{"node", PathClass::interconnect}};

using Groups = std::vector<std::vector<std::size_t>>;

/// Devices that are joined by paths no wider than `widest`, each group in order, by its first device.
Groups joined(const Topology& topology, PathClass widest) {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> near(topology.paths.size());
    for (std::size_t a = 0; a < topology.paths.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            if (topology.paths[a][b].path <= widest) {
                boost::add_edge(a, b, near);
            }
        }
    }
    std::vector<std::size_t> group_of(topology.paths.size());
    Groups groups(boost::connected_components(near, group_of.data()));  // numbered by their first devices
    for (std::size_t device = 0; device < group_of.size(); ++device) {
        groups[group_of[device]].push_back(device);
    }
    return groups;
}

bool even(const Groups& groups) {
    return std::ranges::all_of(groups, [&](const auto& group) { return group.size() == groups.front().size(); });
}

bool consecutive(const Groups& groups) {
    return std::all_of(groups.begin(), groups.end(),
                       [](const auto& group) { return group.back() - group.front() + 1 == group.size(); });
}

/// NVLinks inside the groups: the fewest between a pair and the fewest of a device.
struct Bonds {
    bool complete = true;  ///< every pair of a group is joined
    int of_pair = 0;
    int of_device = 0;
};

Bonds bonds(const Topology& topology, const Groups& groups) {
    Bonds all{.of_pair = 1 << 20, .of_device = 1 << 20};
    for (const auto& group : groups) {
        for (const std::size_t a : group) {
            int of_device = 0;
            for (const std::size_t b : group) {
                const Path& path = topology.paths[a][b];
                if (path.path == PathClass::nvlink) {
                    of_device += path.nvlinks;
                    all.of_pair = std::min(all.of_pair, path.nvlinks);
                } else {
                    all.complete = all.complete && a == b;
                }
            }
            all.of_device = std::min(all.of_device, of_device);
        }
    }
    return all;
}

class Describer {
public:
    Describer(const Topology& topology, const LevelOptions& options) : topology_(topology), options_(options) {
        const std::string& device = options.device.empty() ? topology.device : options.device;
        links_ = device.empty() ? links_of(topology.compute_capability) : links_of(device);
        if (!device.empty() && links_ == nullptr && !options.device.empty()) {
            fail(topology_.where, fmt::format("nothing is known of the links of \"{}\"", device),
                 "known are " + known_models());
        }
    }

    std::vector<DescribedLevel> levels() {
        Groups units = joined(topology_, PathClass::self);
        for (const Stage& stage : kStages) {
            Groups groups = joined(topology_, stage.widest);
            if (groups.size() == units.size()) {
                continue;
            }
            if (!even(groups)) {
                uneven_ = true;  // they meet at a later stage, in one level
                continue;
            }
            add(stage, units, groups);
            units = std::move(groups);
        }
        if (levels_.empty()) {
            levels_.push_back(alone());
        }
        levels_.back().level.name = "node";
        levels_.back().node = true;
        if (nodes_of(topology_, options_) > 1) {
            levels_.push_back(network());
        }
        return std::move(levels_);
    }

private:
    void add(const Stage& stage, const Groups& units, const Groups& groups) {
        DescribedLevel described = stage.widest == PathClass::nvlink ? nvlink(groups) : pcie(stage, units);
        described.level.name = stage.name;
        described.level.size = static_cast<std::int64_t>(units.size() / groups.size());
        if (uneven_) {
            add_note(described, "nearer groups are uneven: they are in this level");
            uneven_ = false;
        }
        if (!consecutive(groups)) {
            add_note(described, "its units are not of consecutive devices: give ranks in the order of the units");
        }
        levels_.push_back(std::move(described));
    }

    static void add_note(DescribedLevel& described, const std::string& note) {
        described.note += (described.note.empty() ? "" : "; ") + note;
    }

    [[noreturn]] void ask_for_model(std::string_view what) const {
        if (links_ != nullptr) {
            fail(topology_.where, fmt::format("{} of {} is not known", what, links_->model),
                 "measure it: dodona calibrate --backend cuda");
        }
        fail(
            topology_.where,
            topology_.device.empty()
                ? fmt::format("{} is needed, and the file does not say which model of GPU it shows", what)
                : fmt::format("{} of \"{}\" is not known", what, topology_.device),
            fmt::format("import the node's lspci, too, or name the model with --device; known are {}", known_models()));
    }

    DescribedLevel nvlink(const Groups& groups) const {
        const Bonds bonded = bonds(topology_, groups);
        if (links_ == nullptr || links_->nvlinks == 0) {
            ask_for_model("the bandwidth of its NVLinks");
        }
        DescribedLevel described{.level = {.latency = 1.9_us},
                                 .source = std::string(links_->source),
                                 .latency_source = std::string(kNvlinkStep)};
        cluster::Level& level = described.level;
        if (!bonded.complete) {
            level.kind = LevelKind::ring;
            level.links = bonded.of_device;
            level.bandwidth = links_->nvlink;
            described.note = "not every pair is joined directly: a ring is the nearest kind";
        } else if (topology_.nvswitch || bonded.of_device > links_->nvlinks) {
            // More links to its peers than a device has: they lead to switches.
            level.kind = LevelKind::switched;
            level.links = bonded.of_pair;
            level.bandwidth = links_->nvlink;
        } else {
            level.kind = LevelKind::all_to_all;
            level.bandwidth = bonded.of_pair * links_->nvlink;
            described.note = fmt::format("{} links between each pair", bonded.of_pair);
        }
        return described;
    }

    [[nodiscard]] PcieSlot slot() const {
        constexpr int kLanes = 16;
        if (topology_.slot) {
            return *topology_.slot;
        }
        if (links_ == nullptr || links_->pcie == 0) {
            ask_for_model("the generation of its PCI Express slot");
        }
        return {.transfers = links_->pcie, .lanes = kLanes};
    }

    DescribedLevel pcie(const Stage& stage, const Groups& units) const {
        const PcieSlot used = slot();
        DescribedLevel described{
            .level = {.kind = LevelKind::switched, .bandwidth = bandwidth(used), .latency = 2.5_us},
            .source = source_of(used),
            .latency_source = std::string(kPcieStep)};
        const bool first = levels_.empty() || levels_.back().level.name == kStages.front().name;
        if (first) {
            described.level.links = static_cast<std::int64_t>(units.front().size());
            described.note = "a slot of its own for each device, without packet headers";
        } else {
            described.note = "one way up of a slot's width is assumed for each unit";
        }
        if (stage.widest == PathClass::interconnect && !first) {
            if (const auto sockets = interconnect_of(topology_.processor)) {
                described.level.bandwidth = sockets->bandwidth;
                described.source = sockets->source;
                described.note = "between the sockets, shared by the devices of each";
            } else {
                described.note = "between the sockets: no figure for this processor, one slot's is assumed";
            }
        }
        return described;
    }

    [[nodiscard]] DescribedLevel alone() const {
        const PcieSlot used = slot();
        return {.level = {.kind = LevelKind::switched, .bandwidth = bandwidth(used), .latency = 2.5_us},
                .source = source_of(used),
                .latency_source = std::string(kPcieStep),
                .note = "one device"};
    }

    [[nodiscard]] DescribedLevel network() const {
        BytesPerSecond fastest{};
        for (const Adapter& adapter : topology_.adapters) {
            fastest = max(fastest, adapter.bandwidth);
        }
        const auto adapters = std::count_if(topology_.adapters.begin(), topology_.adapters.end(),
                                            [&](const Adapter& adapter) { return adapter.bandwidth == fastest; });
        if (adapters == 0) {
            fail(topology_.where, "there are several nodes, but no network adapter in the file",
                 "describe the level between the nodes in the cluster file");
        }
        const BytesPerSecond one = options_.adapter_bandwidth.value_or(fastest);
        if (one == BytesPerSecond{}) {
            fail(topology_.where, "the speed of the network adapters is not in the file",
                 "import the node's ibstat, too, or give it in Gb/s: --adapter 400");
        }
        DescribedLevel described{.level = {.name = "system",
                                           .size = nodes_of(topology_, options_),
                                           .kind = LevelKind::fat_tree,
                                           .links = adapters,
                                           .bandwidth = one,
                                           .latency = 4_us},
                                 .source = options_.adapter_bandwidth ? "given by the user" : topology_.source,
                                 .latency_source = std::string(kNetworkStep),
                                 .note = "taken as not oversubscribed"};
        if (static_cast<std::size_t>(adapters) != topology_.adapters.size()) {
            add_note(described, fmt::format("{} slower adapters are left out",
                                            topology_.adapters.size() - static_cast<std::size_t>(adapters)));
        }
        return described;
    }

    const Topology& topology_;
    const LevelOptions& options_;
    const DeviceLinks* links_ = nullptr;
    std::vector<DescribedLevel> levels_;
    bool uneven_ = false;
};

}  // namespace

std::string_view name(PathClass path) {
    switch (path) {
        case PathClass::self: return "X";
        case PathClass::nvlink: return "NV";
        case PathClass::bridge: return "PIX";
        case PathClass::bridges: return "PXB";
        case PathClass::host_bridge: return "PHB";
        case PathClass::numa_node: return "NODE";
        case PathClass::interconnect: return "SYS";
    }
    throw InternalError("a class of paths without a name");
}

std::int64_t nodes_of(const Topology& topology, const LevelOptions& options) {
    return options.nodes > 1 ? options.nodes : topology.nodes;
}

std::vector<DescribedLevel> levels_of(const Topology& topology, const LevelOptions& options) {
    if (topology.paths.empty()) {
        fail(topology.where, "no GPU in the file", "the file must show the GPUs of one node");
    }
    return Describer(topology, options).levels();
}

}  // namespace dodona::calibrate
