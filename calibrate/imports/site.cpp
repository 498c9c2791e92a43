#include "calibrate/imports/site.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "base/small_letters.hpp"

namespace dodona::calibrate {

namespace {

constexpr std::int64_t kMaxHosts = 1'000'000;  ///< of a site; as many as a cluster file may have
constexpr double kMaxGigabits = 100'000;       ///< of an adapter

/// "'mlx5_0'" of the line "CA 'mlx5_0'", without its quotes; empty: another line.
std::string adapter_in(const LogLine& line) {
    const std::vector<LogWord> words = line.words();
    const bool is_one = words.size() == 2 && words[0].text == "CA" && words[1].text.size() > 2 &&
                        words[1].text.front() == '\'' && words[1].text.back() == '\'';
    return is_one ? std::string(words[1].text.substr(1, words[1].text.size() - 2)) : "";
}

/// "H100 SXM5 80GB" of a line about a GPU of NVIDIA; empty: another line.
std::string gpu_in(const std::string& line) {
    const bool is_gpu = line.find("3D controller") != std::string::npos || line.find("VGA") != std::string::npos;
    const std::size_t maker = line.find("NVIDIA Corporation");
    if (!is_gpu || maker == std::string::npos) {
        return "";
    }
    const std::size_t begin = line.find('[', maker);
    const std::size_t end = line.find(']', begin == std::string::npos ? maker : begin);
    return begin == std::string::npos || end == std::string::npos ? "" : line.substr(begin + 1, end - begin - 1);
}

/// The value of KEY=VALUE; keys have any capitals. Text behind # is a comment.
std::optional<LogWord> value_of(const LogLine& line, std::string_view key) {
    for (const LogWord& word : line.words()) {
        if (word.text.front() == '#') {
            break;
        }
        const std::size_t equals = word.text.find('=');
        if (equals != std::string_view::npos && small_letters(std::string(word.text.substr(0, equals))) == key) {
            return LogWord{word.text.substr(equals + 1), word.column + static_cast<int>(equals) + 1};
        }
    }
    return std::nullopt;
}

/// Hosts of "0-3,12" between brackets.
std::optional<std::int64_t> hosts_of_ranges(std::string_view ranges) {
    std::int64_t hosts = 0;
    while (!ranges.empty()) {
        const std::string_view one = ranges.substr(0, ranges.find(','));
        ranges.remove_prefix(std::min(one.size() + 1, ranges.size()));
        const std::size_t dash = one.find('-');
        const auto first = whole(one.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : whole(one.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last - *first >= kMaxHosts) {
            return std::nullopt;
        }
        hosts += *last - *first + 1;
        if (hosts > kMaxHosts) {
            return std::nullopt;
        }
    }
    return hosts;
}

}  // namespace

bool is_ibstat(const LogText& text) {
    return std::ranges::any_of(text.lines(), [](const LogLine& line) { return !adapter_in(line).empty(); });
}

void read_ibstat(const LogText& text, ImportBuilder& into) {
    std::string adapter;
    bool is_active = false;
    for (const LogLine& line : text.lines()) {
        const std::vector<LogWord> words = line.words();
        if (const std::string name = adapter_in(line); !name.empty()) {
            adapter = name;
            is_active = false;
        } else if (words.size() == 2 && words[0].text == "State:") {
            is_active = words[1].text == "Active";
        } else if (words.size() == 2 && words[0].text == "Rate:" && is_active && !adapter.empty()) {
            constexpr double kBitsOfAByte = 8;
            if (const auto gigabits = printed(words[1].text); gigabits && gigabits->value > 0) {
                if (gigabits->value > kMaxGigabits) {
                    fail(text.at(line, words[1]), fmt::format("no adapter has {} Gb/s", words[1].text),
                         "the rate that ibstat prints of an active port");
                }
                into.site().adapters.push_back({adapter, gigabits->value / kBitsOfAByte * 1_GB_per_s});
            }
        }
    }
    if (into.site().adapters.empty()) {
        into.note(text.whole(), "no port of its adapters is active");
    }
}

bool is_lspci(const LogText& text) {
    return std::ranges::any_of(text.lines(), [](const LogLine& line) { return !gpu_in(line.text()).empty(); });
}

void read_lspci(const LogText& text, ImportBuilder& into) {
    std::string& device = into.site().device;
    for (const LogLine& line : text.lines()) {
        const std::string gpu = gpu_in(line.text());
        if (!gpu.empty() && !device.empty() && gpu != device) {
            fail(text.at(line), fmt::format("a GPU \"{}\" in a node of \"{}\"", gpu, device),
                 "a node has one model: leave out what does not train");
        }
        device = gpu.empty() ? device : gpu;
    }
}

std::optional<std::int64_t> hosts_in(std::string_view list) {
    std::int64_t hosts = 0;
    while (!list.empty()) {
        const std::size_t open = list.find_first_of("[,");
        if (open == 0) {
            return std::nullopt;
        }
        if (open == std::string_view::npos || list[open] == ',') {
            ++hosts;
            list.remove_prefix(std::min(open, list.size() - 1) + 1);
            continue;
        }
        const std::size_t close = list.find(']', open);
        const auto some =
            close == std::string_view::npos ? std::nullopt : hosts_of_ranges(list.substr(open + 1, close - open - 1));
        list.remove_prefix(close == std::string_view::npos ? list.size() : close + 1);
        if (!some || (!list.empty() && list.front() != ',')) {
            return std::nullopt;
        }
        hosts += *some;
        list.remove_prefix(std::min<std::size_t>(1, list.size()));
    }
    return hosts > 0 && hosts <= kMaxHosts ? std::optional(hosts) : std::nullopt;
}

bool is_slurm_topology(const LogText& text) {
    return std::any_of(text.lines().begin(), text.lines().end(), [](const LogLine& line) {
        return value_of(line, "switchname") && (value_of(line, "nodes") || value_of(line, "switches"));
    });
}

void read_slurm_topology(const LogText& text, ImportBuilder& into) {
    std::set<std::string_view> seen;
    for (const LogLine& line : text.lines()) {
        const auto nodes = value_of(line, "switchname") ? value_of(line, "nodes") : std::nullopt;
        if (!nodes) {
            continue;
        }
        const auto hosts = hosts_in(nodes->text);
        if (!hosts) {
            fail(text.at(line, *nodes), fmt::format("\"{}\" is no list of hosts", nodes->text),
                 "as Slurm has it: Nodes=tux[0-3,12]");
        }
        if (!seen.insert(nodes->text).second) {
            into.note(text.at(line, *nodes), fmt::format("{} are listed before, and counted once", nodes->text));
            continue;
        }
        into.site().nodes += *hosts;
        if (into.site().nodes > kMaxHosts) {
            fail(text.at(line, *nodes), fmt::format("more than {} hosts", kMaxHosts), "a site has fewer");
        }
    }
}

Topology completed(Topology topology, const Site& site) {
    if (topology.device.empty()) {
        topology.device = site.device;
    }
    for (Adapter& adapter : topology.adapters) {
        const auto* known = found_in(site.adapters, &Adapter::name, adapter.name);
        if (adapter.bandwidth == BytesPerSecond{} && known != nullptr) {
            adapter.bandwidth = known->bandwidth;
        }
    }
    topology.nodes = std::max(topology.nodes, site.nodes);
    return topology;
}

}  // namespace dodona::calibrate
