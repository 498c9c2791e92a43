#include "cost/path.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace dodona::cost {

namespace {

using cluster::Collective;
using cluster::Level;
using cluster::LevelKind;

bool to_neighbours(Collective collective) { return collective == Collective::send || collective == Collective::halo; }

/// Bandwidth out of a dragonfly group, in links of its own.
double dragonfly_links(const Level& level, const CollectiveRequest& request, std::int64_t children) {
    const auto others = static_cast<double>(std::max<std::int64_t>(1, level.size - 1));
    const auto links = static_cast<double>(level.links);
    const std::int64_t peers = request.collective == Collective::all_to_all ? children - 1
                               : request.collective == Collective::halo     ? request.messages
                                                                            : 1;
    const double minimal = links * static_cast<double>(std::clamp<std::int64_t>(peers, 1, children - 1)) / others;
    if (level.size <= 2 || level.routing == cluster::Routing::minimal) {
        return minimal;
    }
    return level.routing == cluster::Routing::valiant ? links / 2 : std::max(minimal, links / 2);
}

/// Links out of a child that this group's traffic can use. `children`: number that the group occupies.
double useful_links(const Level& level, const CollectiveRequest& request, std::int64_t children) {
    const bool neighbours = to_neighbours(request.collective);
    std::int64_t links = level.links;
    switch (level.kind) {
        case LevelKind::all_to_all:
            links = neighbours ? std::clamp<std::int64_t>(request.messages, 1, children - 1) : children - 1;
            break;
        case LevelKind::ring: links = neighbours && request.messages == 1 ? (level.links + 1) / 2 : level.links; break;
        case LevelKind::dragonfly: return dragonfly_links(level, request, children);
        case LevelKind::switched:
        case LevelKind::fat_tree:
        case LevelKind::rail:
        case LevelKind::bus:
        case LevelKind::torus: break;
    }
    return static_cast<double>(links);
}

/// Mean distance between two of n children on a ring: n/2 in one direction, floor(n^2/4) / (n-1) in the shorter one.
double mean_hops(const Level& level, std::int64_t children) {
    if (level.kind != LevelKind::ring) {
        return 1;
    }
    const auto n = static_cast<double>(children);
    return level.links == 1 ? n / 2 : std::floor(n * n / 4) / (n - 1);
}

struct Share {
    BytesPerSecond bandwidth;
    double contention = 1;
};

/// Contention factor: computed, or from the user.
double shared_by(const cluster::Cluster& cluster, const cluster::Span& span, double contention) {
    const bool one_device = span.child_devices == 1;
    return cluster.contention && !one_device ? *cluster.contention : std::max(1.0, contention);
}

Share share_of(const cluster::Cluster& cluster, const CollectiveRequest& request, const cluster::Span& span,
               std::int64_t children) {
    const Level& level = cluster.levels[span.level];
    const double links = useful_links(level, request, children);
    const std::int64_t sending =
        to_neighbours(request.collective) ? std::min<std::int64_t>(span.members, request.messages) : span.members;
    const double driven = span.child_devices == 1 ? links : std::min(static_cast<double>(sending), links);
    const double flows = static_cast<double>(span.groups) * driven;
    const double contention = shared_by(cluster, span, flows / links);
    return {driven * level.bandwidth / level.taper / contention, contention};
}

Share share_of_bus(const cluster::Cluster& cluster, const CollectiveRequest& request, const cluster::Span& span,
                   std::int64_t children) {
    const Level& level = cluster.levels[span.level];
    const std::int64_t in_job = (request.ranks + span.child_devices - 1) / span.child_devices;
    const auto occupied = static_cast<double>(std::min(level.size, in_job));
    const double sending = std::min(static_cast<double>(children), occupied);
    const double contention = shared_by(cluster, span, static_cast<double>(span.groups) * occupied / sending);
    return {static_cast<double>(level.links) / sending * level.bandwidth / contention, contention};
}

/// Dimensions of a torus along which the group extends.
std::vector<TorusRing> rings_of(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                const cluster::Span& span, std::int64_t children) {
    std::vector<TorusRing> rings;
    if (children > 1) {
        rings = torus_rings(cluster.levels[span.level], request, span, children);
    }
    for (TorusRing& ring : rings) {
        const double contention = shared_by(cluster, span, ring.contention);
        ring.share *= ring.contention / contention;
        ring.contention = contention;
    }
    return rings;
}

/// Share of a single ring through all dimensions; of all links if the group extends along none.
Share share_of_torus(const cluster::Cluster& cluster, const cluster::Span& span, const std::vector<TorusRing>& rings) {
    const Level& level = cluster.levels[span.level];
    if (rings.empty()) {
        const double contention = shared_by(cluster, span, static_cast<double>(span.groups));
        const auto dimensions = static_cast<double>(std::max<std::size_t>(1, level.sizes.size()));
        return {2 * dimensions * static_cast<double>(level.links) / contention * level.bandwidth, contention};
    }
    Share all{rings.front().share, 1};
    for (const TorusRing& ring : rings) {
        all = {min(all.bandwidth, ring.share), std::max(all.contention, ring.contention)};
    }
    return all;
}

/// Whether a transfer over a rail level needs a hop inside the node first.
bool changes_position(const CollectiveRequest& request, const cluster::Span& span) {
    const bool by_rank = to_neighbours(request.collective) || request.collective == Collective::all_to_all;
    return !span.alike || (by_rank && span.members > 1);
}

Crossing crossing_of(const cluster::Cluster& cluster, const CollectiveRequest& request, const cluster::Span& span,
                     std::int64_t children, Path& way) {
    const Level& level = cluster.levels[span.level];
    const std::int64_t met = std::max<std::int64_t>(2, children);
    Crossing crossing{.level = span.level, .members = span.members, .children = children};
    Share share;
    if (level.kind == LevelKind::torus) {
        crossing.rings = rings_of(cluster, request, span, children);
        share = share_of_torus(cluster, span, crossing.rings);
    } else if (level.kind == LevelKind::bus) {
        share = share_of_bus(cluster, request, span, children);
    } else {
        share = share_of(cluster, request, span, met);
    }
    crossing.hops = mean_hops(level, met);
    const cluster::LinkTiming timing = level.timing(way.protocol);
    crossing.share = timing.efficiency * share.bandwidth;
    crossing.latency = timing.step;
    if (level.kind == LevelKind::rail && span.level > 0 && changes_position(request, span)) {
        crossing.latency += cluster.levels[span.level - 1].timing(way.protocol).step;
    }
    for (TorusRing& ring : crossing.rings) {
        ring.share *= timing.efficiency;
    }
    if (level.in_network) {
        const BytesPerSecond links = static_cast<double>(level.links) * level.bandwidth / level.taper;
        crossing.reduction = {.bandwidth = level.in_network->bandwidth / links * share.bandwidth,
                              .latency = level.in_network->latency};
    }
    way.contention = std::max(way.contention, share.contention);
    way.start = max(way.start, timing.start);
    return crossing;
}

const cluster::Staging* staging_of(const cluster::Cluster& cluster, Collective collective) {
    if (!cluster.staging) {
        return nullptr;
    }
    const auto& staged = cluster.staging->applies_to;
    return std::find(staged.begin(), staged.end(), collective) == staged.end() ? nullptr : &*cluster.staging;
}

}  // namespace

Seconds Path::latency() const {
    Seconds longest;
    for (const Crossing& crossing : crossings) {
        longest = max(longest, crossing.latency);
    }
    return longest;
}

Seconds Path::latency_of_ring() const {
    if (!chunked) {
        return latency();
    }
    const auto p = static_cast<double>(ranks);
    Seconds round;
    for (std::size_t i = 0; i < crossings.size(); ++i) {
        const double edges = p / static_cast<double>(crossings[i].members);
        const bool is_outermost = i + 1 == crossings.size();
        const double further_out = is_outermost ? 0 : p / static_cast<double>(crossings[i + 1].members);
        round += (edges - further_out) * crossings[i].latency;
    }
    return round / p;
}

Path path(const cluster::Cluster& cluster, const CollectiveRequest& request, std::int64_t ranks,
          std::span<const cluster::Span> spans, std::size_t protocol) {
    check(!spans.empty(), "a group of several ranks crosses a level");
    const cluster::Staging* staging = staging_of(cluster, request.collective);
    Path result{.ranks = ranks, .protocol = protocol};
    result.chunked = cluster.collectives && cluster::sends_chunks(*cluster.collectives);
    result.crossings.reserve(spans.size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const cluster::Span& span = spans[i];
        const std::int64_t in_unit = i + 1 < spans.size() ? spans[i + 1].members : ranks;
        const std::int64_t children = (in_unit + span.members - 1) / span.members;
        if (staging != nullptr) {
            Crossing crossing{.level = span.level, .members = span.members, .children = children};
            crossing.latency = staging->latency;
            crossing.share = staging->bandwidth;
            result.crossings.push_back(crossing);
        } else {
            result.crossings.push_back(crossing_of(cluster, request, span, children, result));
        }
    }
    return result;
}

}  // namespace dodona::cost
