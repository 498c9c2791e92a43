#include "calibrate/imports/topology_facts.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.hpp"
#include "calibrate/imports/log_text.hpp"

namespace dodona::calibrate {

namespace {

constexpr const char* kYes = "yes";
constexpr std::string_view kBetween = ", ";  ///< adapters, whose names may have spaces

double in_bytes(BytesPerSecond bandwidth) { return bandwidth.in(BytesPerSecond::of_base(1)); }

class FactsReader {
public:
    FactsReader(const std::map<std::string, std::string>& facts, const Location& where)
        : facts_(facts), where_(where) {}

    std::string text(const char* key) const {
        const auto found = facts_.find(key);
        if (found == facts_.end()) {
            wrong(fmt::format("the topology has no '{}'", key));
        }
        return found->second;
    }

    double number(const std::string& word) const {
        const auto number = printed(word);
        if (!number || number->value < 0) {
            wrong(fmt::format("'{}' is no number of a topology", word));
        }
        return number->value;
    }

    int count(const std::string& word) const {
        const auto value = whole(word);
        constexpr std::int64_t kMax = 1'000'000;
        if (!value || *value < 0 || *value > kMax) {
            wrong(fmt::format("'{}' is no count of a topology", word));
        }
        return static_cast<int>(*value);
    }

    std::vector<std::vector<Path>> paths() const {
        std::vector<std::vector<Path>> rows(1);
        for (const std::string& cell : words(text("paths"))) {
            if (cell == "/") {
                rows.emplace_back();
            } else if (const auto path = path_from(cell)) {
                rows.back().push_back(*path);
            } else {
                wrong(fmt::format("'{}' is no path between two devices", cell));
            }
        }
        if (rows.front().empty()) {
            return {};
        }
        for (const auto& row : rows) {
            if (row.size() != rows.size()) {
                wrong(fmt::format("{} paths in a row of {} devices", row.size(), rows.size()));
            }
        }
        return rows;
    }

    std::vector<Adapter> adapters() const {
        std::vector<Adapter> found;
        const std::string all = text("adapters");
        std::string_view rest = all;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(kBetween), rest.size());
            const std::string one(rest.substr(0, end));
            rest.remove_prefix(std::min(end + kBetween.size(), rest.size()));
            const std::size_t space = one.rfind(' ');
            if (space == std::string::npos) {
                wrong(fmt::format("the adapter '{}' has no bandwidth", one));
            }
            found.push_back(
                {.name = one.substr(0, space), .bandwidth = BytesPerSecond::of_base(number(one.substr(space + 1)))});
        }
        return found;
    }

    static std::vector<std::string> words(const std::string& text) {
        std::istringstream stream(text);
        std::vector<std::string> found;
        for (std::string word; stream >> word;) {
            found.push_back(word);
        }
        return found;
    }

    [[noreturn]] void wrong(const std::string& what) const {
        fail(where_, what, "these records were changed by hand; import the topology file again");
    }

private:
    const std::map<std::string, std::string>& facts_;
    const Location& where_;
};

}  // namespace

std::optional<Path> path_from(std::string_view cell) {
    for (const PathClass path : {PathClass::self, PathClass::bridge, PathClass::bridges, PathClass::host_bridge,
                                 PathClass::numa_node, PathClass::interconnect}) {
        if (cell == name(path)) {
            return Path{.path = path};
        }
    }
    if (cell.starts_with("NV")) {
        constexpr std::int64_t kMax = 1000;
        if (const auto links = whole(cell.substr(2)); links && *links > 0 && *links < kMax) {
            return Path{.path = PathClass::nvlink, .nvlinks = static_cast<int>(*links)};
        }
    }
    return std::nullopt;
}

std::string to_text(const Path& path) {
    return path.path == PathClass::nvlink ? fmt::format("NV{}", path.nvlinks) : std::string(name(path.path));
}

std::map<std::string, std::string> topology_facts(const Topology& topology, const LevelOptions& options) {
    std::vector<std::string> rows;
    for (const std::vector<Path>& row : topology.paths) {
        std::vector<std::string> cells;
        append(cells, row, [](const Path& path) { return to_text(path); });
        rows.push_back(fmt::format("{}", fmt::join(cells, " ")));
    }
    std::vector<std::string> adapters;
    for (const Adapter& adapter : topology.adapters) {
        adapters.push_back(fmt::format("{} {}", adapter.name, in_bytes(adapter.bandwidth)));
    }
    return {{"file", topology.source},
            {"device", topology.device},
            {"compute_capability", fmt::to_string(topology.compute_capability)},
            {"paths", fmt::format("{}", fmt::join(rows, " / "))},
            {"nvswitch", topology.nvswitch ? kYes : "no"},
            {"slot", topology.slot ? fmt::format("{} {}", topology.slot->transfers, topology.slot->lanes) : ""},
            {"processor", topology.processor},
            {"adapters", fmt::format("{}", fmt::join(adapters, kBetween))},
            {"model", options.device},
            {"nodes", fmt::to_string(nodes_of(topology, options))},
            {"adapter", options.adapter_bandwidth ? fmt::to_string(in_bytes(*options.adapter_bandwidth)) : ""}};
}

Topology topology_from(const std::map<std::string, std::string>& facts, const Location& where) {
    const FactsReader reader(facts, where);
    Topology topology{.source = reader.text("file"),
                      .where = where,
                      .device = reader.text("device"),
                      .compute_capability = reader.count(reader.text("compute_capability")),
                      .paths = reader.paths(),
                      .nvswitch = reader.text("nvswitch") == kYes,
                      .processor = reader.text("processor")};
    if (const auto slot = FactsReader::words(reader.text("slot")); slot.size() == 2) {
        topology.slot = PcieSlot{.transfers = reader.number(slot[0]), .lanes = reader.count(slot[1])};
    } else if (!slot.empty()) {
        reader.wrong(fmt::format("'{}' is no slot", reader.text("slot")));
    }
    topology.adapters = reader.adapters();
    return topology;
}

LevelOptions options_from(const std::map<std::string, std::string>& facts, const LevelOptions& now,
                          const Location& where) {
    const FactsReader reader(facts, where);
    LevelOptions options = now;
    if (options.device.empty()) {
        options.device = reader.text("model");
    }
    if (options.nodes == 1) {
        options.nodes = reader.count(reader.text("nodes"));
    }
    if (const std::string adapter = reader.text("adapter"); !options.adapter_bandwidth && !adapter.empty()) {
        options.adapter_bandwidth = BytesPerSecond::of_base(reader.number(adapter));
    }
    return options;
}

}  // namespace dodona::calibrate
