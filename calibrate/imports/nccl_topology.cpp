#include "calibrate/imports/nccl_topology.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/ranges.hpp"
#include "calibrate/imports/log_text.hpp"
#include "files/text.hpp"

namespace dodona::calibrate {

namespace {

constexpr std::size_t kMaxDevices = 256;
constexpr std::size_t kDeepestElement = 64;  // bridges above a device

using Node = pugi::xml_node;

std::string lower(std::string_view text) {
    std::string all(text);
    std::ranges::transform(all, all.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return all;
}

std::string_view attribute(const Node& node, const char* name) { return node.attribute(name).value(); }

bool has_class(const Node& pci, std::initializer_list<std::string_view> starts) {
    const std::string code = lower(attribute(pci, "class"));
    return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return code.starts_with(start); });
}

/// "32.0 GT/s PCIe" and "16"; none where the file leaves them empty, as in virtual machines.
std::optional<PcieSlot> slot_of(const Node& pci) {
    const std::string_view speed = attribute(pci, "link_speed");
    const auto transfers = printed(speed.substr(0, speed.find(' ')));
    const auto lanes = whole(attribute(pci, "link_width"));
    constexpr std::int64_t kMaxLanes = 64;
    if (!transfers || transfers->value <= 0 || !lanes || *lanes <= 0 || *lanes > kMaxLanes) {
        return std::nullopt;
    }
    return PcieSlot{transfers->value, static_cast<int>(*lanes)};
}

struct Device {
    Node pci;
    Node gpu;  ///< empty in files that people wrote
    std::size_t processor = 0;
    std::vector<Node> bridges;  ///< above it, outermost first
    std::int64_t number = 0;
};

class NcclTopologyReader {
public:
    NcclTopologyReader(const std::string& text, ImportBuilder& into)
        : text_(files::read_text(text, into.file(), {.is = "XML", .too_large = "a topology is of one node"})),
          into_(into) {}

    void read() {
        pugi::xml_document document;
        const auto result =
            document.load_buffer(text_.text.data(), text_.text.size(), pugi::parse_default, pugi::encoding_utf8);
        if (!result) {
            fail(at(result.offset), fmt::format("no XML: {}", result.description()), "was the file cut short?");
        }
        const Node system = document.child("system");
        if (!system) {
            fail({text_.source, 0, 0, 1}, "no <system> in the file", "NCCL_TOPO_DUMP_FILE writes such files");
        }
        walk_hosts(system);
        std::ranges::stable_sort(devices_, [](const Device& a, const Device& b) { return a.number < b.number; });
        if (devices_.empty()) {
            fail(at(system), "no GPU in the file",
                 "expected a <gpu>, or a <pci> of class 0x0302 or 0x0300, for each GPU of the node");
        }
        if (devices_.size() > kMaxDevices) {
            fail(at(system), fmt::format("{} GPUs in one node; at most {} are read", devices_.size(), kMaxDevices));
        }
        into_.topology(topology(system));
    }

private:
    [[nodiscard]] Location at(std::ptrdiff_t offset) const {
        const std::string_view before =
            std::string_view(text_.text).substr(0, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
        const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
        const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
        return {text_.source, line, static_cast<int>(before.size() - start) + 1, 1};
    }
    [[nodiscard]] Location at(const Node& node) const { return at(node.offset_debug()); }

    void walk_hosts(const Node& system) {
        std::set<std::string_view> hosts;
        std::string_view first;
        std::size_t processor = 0;
        for (const Node& cpu : system.children("cpu")) {
            const std::string_view host = attribute(cpu, "host_hash");
            first = hosts.empty() ? host : first;
            hosts.insert(host);
            if (host == first) {
                visit(cpu, processor++, {});
            }
        }
        if (hosts.size() > 1) {
            into_.note(at(system), fmt::format("{} hosts in one file: the first is read", hosts.size()));
        }
        if (std::any_of(devices_.begin(), devices_.end(), [](const Device& device) { return !device.gpu.empty(); })) {
            std::erase_if(devices_, [](const Device& device) { return device.gpu.empty(); });
        }
    }

    void visit(const Node& parent, std::size_t processor, const std::vector<Node>& bridges) {
        if (bridges.size() > kDeepestElement) {
            fail(at(parent), fmt::format("more than {} bridges above each other", kDeepestElement));
        }
        for (const Node& child : parent.children()) {
            const std::string_view name = child.name();
            if (name == "nic") {
                for (const Node& net : child.children("net")) {
                    adapter(net);
                }
            } else if (name == "pci") {
                const Node gpu = child.child("gpu");
                if (!gpu.empty() || has_class(child, {"0x0302", "0x0300"})) {
                    devices_.push_back(
                        {child, gpu, processor, bridges,
                         whole(attribute(gpu, "dev")).value_or(static_cast<std::int64_t>(devices_.size()))});
                } else if (child.child("nic").empty() && has_class(child, {"0x0207", "0x0200"})) {
                    unnamed_.push_back({std::string(attribute(child, "busid")), {}});
                } else {
                    std::vector<Node> deeper = bridges;
                    deeper.push_back(child);
                    visit(child, processor, deeper);
                }
            }
        }
    }

    void adapter(const Node& net) {
        constexpr double kMegabitsPerGigabyte = 8000;
        const auto speed = printed(attribute(net, "speed"));
        const double gigabytes = speed && speed->value > 0 ? speed->value / kMegabitsPerGigabyte : 0;
        named_.push_back({std::string(attribute(net, "name")), gigabytes * 1_GB_per_s});
    }

    /// Within the tree of PCI Express.
    static Path bridged(const Device& a, const Device& b) {
        if (a.processor != b.processor) {
            return {.path = PathClass::interconnect};
        }
        const auto [in_a, in_b] = std::mismatch(a.bridges.begin(), a.bridges.end(), b.bridges.begin(), b.bridges.end());
        if (in_a == a.bridges.begin()) {
            return {.path = PathClass::host_bridge};
        }
        const bool same = in_a == a.bridges.end() && in_b == b.bridges.end();
        return {.path = same ? PathClass::bridge : PathClass::bridges};
    }

    /// NVLinks of a device that lead straight to another.
    static int links_to(const Device& from, const Device& to) {
        const std::string target = lower(attribute(to.pci, "busid"));
        return sum_of<int>(from.gpu.children("nvlink"), [&](const Node& nvlink) {
            return lower(attribute(nvlink, "target")) == target ? count(nvlink) : 0;
        });
    }

    static int links_to_switches(const Device& from) {
        return sum_of<int>(from.gpu.children("nvlink"), [&](const Node& nvlink) {
            return lower(attribute(nvlink, "tclass")).starts_with("0x0680") ? count(nvlink) : 0;
        });
    }

    static int count(const Node& nvlink) {
        constexpr std::int64_t kMax = 1000;
        return static_cast<int>(std::min(whole(attribute(nvlink, "count")).value_or(0), kMax));
    }

    Topology topology(const Node& system) {
        Topology read{.source = into_.file(), .where = at(system)};
        read.paths.assign(devices_.size(), std::vector<Path>(devices_.size()));
        for (std::size_t a = 0; a < devices_.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const int direct = std::max(links_to(devices_[a], devices_[b]), links_to(devices_[b], devices_[a]));
                const int switched = std::min(links_to_switches(devices_[a]), links_to_switches(devices_[b]));
                const Path path = direct + switched > 0
                                      ? Path{.path = PathClass::nvlink, .nvlinks = std::max(direct, switched)}
                                      : bridged(devices_[a], devices_[b]);
                read.nvswitch = read.nvswitch || switched > 0;
                read.paths[a][b] = read.paths[b][a] = path;
            }
        }
        const Node cpu = system.child("cpu");
        read.processor =
            fmt::format("{} {} {}", attribute(cpu, "vendor"), attribute(cpu, "familyid"), attribute(cpu, "modelid"));
        read.compute_capability =
            static_cast<int>(std::min<std::int64_t>(whole(attribute(devices_.front().gpu, "sm")).value_or(0), 1000));
        read.slot = common_slot();
        read.adapters = named_.empty() ? std::move(unnamed_) : std::move(named_);
        return read;
    }

    /// The narrowest of the devices; none where one of them has none.
    std::optional<PcieSlot> common_slot() {
        std::optional<PcieSlot> narrowest = slot_of(devices_.front().pci);
        for (const Device& device : devices_) {
            const auto slot = slot_of(device.pci);
            if (!slot || !narrowest) {
                return std::nullopt;
            }
            if (*slot != *narrowest) {
                uneven_ = true;
                narrowest = slot->transfers * slot->lanes < narrowest->transfers * narrowest->lanes ? slot : narrowest;
            }
        }
        if (uneven_) {
            into_.assume(at(devices_.front().pci), "the GPUs have different slots: the narrowest counts");
        }
        return narrowest;
    }

    files::Text text_;
    ImportBuilder& into_;
    std::vector<Device> devices_;
    std::vector<Adapter> named_, unnamed_;
    bool uneven_ = false;
};

}  // namespace

bool is_nccl_topology(const std::string& text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    return start != std::string::npos && text[start] == '<' && text.find("<system") != std::string::npos;
}

void read_nccl_topology(const std::string& text, ImportBuilder& into) { NcclTopologyReader(text, into).read(); }

}  // namespace dodona::calibrate
