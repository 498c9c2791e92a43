#include "calibrate/machine/measured_levels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "calibrate/network/levels.hpp"

namespace dodona::calibrate {

namespace {

using cluster::Level;
using cluster::LevelKind;

/// Whose collectives train: those of the devices' own library before those of the hosts'.
constexpr std::array<std::string_view, 3> kBackEnds{"cuda", "import", "mpi"};

/// What one link of a level has to have where a child's all have that much (oracle/files/level_file.cpp, of_one).
BytesPerSecond of_one_link(const Level& level, BytesPerSecond child) {
    switch (level.kind) {
        case LevelKind::all_to_all: return child / static_cast<double>(std::max<std::int64_t>(level.size - 1, 1));
        case LevelKind::ring: return child / static_cast<double>(level.links);
        default: return child;
    }
}

/// The level that ranks of a node, or nodes, meet on: the node's own, or the one around it.
Level* place_of(cluster::Cluster& cluster, bool inside) {
    const std::size_t place = inside ? cluster.node_level : cluster.node_level + 1;
    return place < cluster.levels.size() ? &cluster.levels[place] : nullptr;
}

/// The level as it was, its links as they were measured.
void measure(Level& level, const MeasuredLevel& measured) {
    level.link = measured.link;
    // The fastest was measured of a child with all its links; a link file is of one.
    if (level.kind != LevelKind::all_to_all && level.kind != LevelKind::ring) {
        level.link->bandwidth = measured.link.bandwidth / static_cast<double>(level.links);
    }
    level.bandwidth = of_one_link(level, level.link->bandwidth);
    level.in_network.reset();  // what switches reduce is in the tables
    if (!level.link->protocols.empty()) {
        level.latency = level.link->protocols.front().timing.step;
        level.efficiency = level.link->protocols.back().timing.efficiency;
    }
}

void append(cluster::Cluster& cluster, const MeasuredLevel& measured) {
    if (!measured.inside && cluster.levels.empty()) {
        cluster.levels.push_back({.name = "node", .size = 1, .bandwidth = measured.link.bandwidth, .latency = {}});
    }
    cluster.node_level = measured.inside ? 0 : cluster.levels.size() - 1;
    cluster.levels.push_back(level_of(measured));
}

/// "1 table", "5 tables".
std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string sentence(const MeasuredLevel& measured) {
    std::string text =
        fmt::format("{}: {:.4g} GB/s out of each of {}, {}", measured.name, measured.link.bandwidth.in(1_GB_per_s),
                    measured.size, counted(measured.link.curves.size(), "table"));
    if (!measured.link.protocols.empty()) {
        text += fmt::format(", missed by {} by {:.1f} % in the median",
                            counted(measured.link.protocols.size(), "protocol"), 100 * measured.median_error);
    }
    if (measured.messages && measured.messages->latency) {
        text += fmt::format("; a message takes {:.3g} us", measured.messages->one_way(unit::byte).in(1_us));
    }
    for (const Slowdown& slow : measured.beside_compute) {
        text += fmt::format(
            "; beside computing a collective of {} ranks takes {:.2f} times as long, computing {:.2f} times",
            slow.ranks, slow.collective, slow.compute);
    }
    return text;
}

}  // namespace

std::vector<std::string> take_measured_levels(const std::vector<Record>& records, cluster::Cluster& cluster) {
    std::vector<std::string> sentences;
    const std::vector<MeasuredLevel> all = measured_levels(records);
    // One device alone has no links worth keeping.
    if (!all.empty() && !cluster.levels.empty() && cluster.devices() == 1) {
        cluster.levels.clear();
        cluster.node_level = 0;
    }
    const bool known = !cluster.levels.empty();
    for (const bool inside : {true, false}) {
        for (const std::string_view backend : kBackEnds) {
            const auto found = std::find_if(all.begin(), all.end(), [&](const MeasuredLevel& level) {
                return level.backend == backend && level.inside == inside;
            });
            if (found == all.end()) {
                continue;
            }
            if (!known) {
                append(cluster, *found);
                sentences.push_back(sentence(*found));
            } else if (Level* level = place_of(cluster, inside)) {
                measure(*level, *found);
                sentences.push_back(sentence(*found));
            } else {
                sentences.push_back(
                    fmt::format("{} was measured, but {} has no level between nodes", found->name, cluster.name));
            }
            break;
        }
    }
    // The protocols are fitted as rings (network/ring_protocols.hpp); on a machine that says what its library runs,
    // that.
    if (!known && cluster.algorithms.empty() && !cluster.collectives && !sentences.empty()) {
        cluster.algorithms = {cluster::Algorithm::ring};
    }
    return sentences;
}

}  // namespace dodona::calibrate
