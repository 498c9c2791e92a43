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

/// Links out of a child that lead to where this group's traffic goes. `children` is how many the group occupies.
std::int64_t useful_links(const Level& level, const CollectiveRequest& request, std::int64_t children) {
    const bool neighbours = to_neighbours(request.collective);
    switch (level.kind) {
        case LevelKind::all_to_all:
            return neighbours ? std::clamp<std::int64_t>(request.messages, 1, children - 1) : children - 1;
        case LevelKind::ring: return neighbours && request.messages == 1 ? (level.links + 1) / 2 : level.links;
        case LevelKind::switched:
        case LevelKind::fat_tree: break;
    }
    return level.links;
}

/// Mean distance between two of n children on a ring: n/2 one way round, floor(n^2/4) / (n-1) the shorter way.
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

Share share_of(const cluster::Cluster& cluster, const CollectiveRequest& request, const cluster::Span& span,
               std::int64_t children) {
    const Level& level = cluster.levels[span.level];
    const std::int64_t links = useful_links(level, request, children);
    const bool one_device = span.child_devices == 1;
    const std::int64_t sending =
        to_neighbours(request.collective) ? std::min<std::int64_t>(span.members, request.messages) : span.members;
    const auto driven = static_cast<double>(one_device ? links : std::min(sending, links));
    const double flows = static_cast<double>(span.groups) * driven;
    double contention = std::max(1.0, flows / static_cast<double>(links));
    if (cluster.contention && !one_device) {
        contention = *cluster.contention;
    }
    return {driven * level.bandwidth / level.taper / contention, contention};
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

Path path(const cluster::Cluster& cluster, const CollectiveRequest& request, std::int64_t ranks,
          std::span<const cluster::Span> spans) {
    check(!spans.empty(), "a group of several ranks crosses a level");
    const cluster::Staging* staging = staging_of(cluster, request.collective);
    Path result{.ranks = ranks};
    result.crossings.reserve(spans.size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const cluster::Span& span = spans[i];
        const Level& level = cluster.levels[span.level];
        const std::int64_t in_unit = i + 1 < spans.size() ? spans[i + 1].members : ranks;
        const std::int64_t children = std::max<std::int64_t>(2, (in_unit + span.members - 1) / span.members);
        Crossing crossing{.level = span.level, .members = span.members};
        if (staging != nullptr) {
            crossing.latency = staging->latency;
            crossing.share = staging->bandwidth;
        } else {
            const Share share = share_of(cluster, request, span, children);
            crossing.hops = mean_hops(level, children);
            crossing.latency = level.latency;
            crossing.share = share.bandwidth;
            result.contention = std::max(result.contention, share.contention);
        }
        result.crossings.push_back(crossing);
    }
    return result;
}

}  // namespace dodona::cost
