#include "cost/measured_bandwidth.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace dodona::cost {

namespace {

using cluster::Collective;
using cluster::SlowDown;

/// Whose measurement stands for a collective: its own, then that of what moves alike.
constexpr std::array kAllReduceFirst{Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather,
                                     Collective::all_to_all};
constexpr std::array kGatherFirst{Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
                                  Collective::all_to_all};
constexpr std::array kScatterFirst{Collective::reduce_scatter, Collective::all_gather, Collective::all_reduce,
                                   Collective::all_to_all};
constexpr std::array kExchangeFirst{Collective::all_to_all, Collective::all_gather, Collective::reduce_scatter,
                                    Collective::all_reduce};

std::span<const Collective> relatives(Collective collective) {
    switch (collective) {
        case Collective::all_reduce: return kAllReduceFirst;
        case Collective::all_gather: return kGatherFirst;
        case Collective::reduce_scatter: return kScatterFirst;
        case Collective::all_to_all:
        case Collective::send:
        case Collective::halo: return kExchangeFirst;
    }
    return kExchangeFirst;
}

/// Of slow-downs of one collective, in the order of their ranks; both counts are of ranks.
double between(const std::vector<SlowDown>& known, double ranks) {
    const auto more = std::find_if(known.begin(), known.end(),
                                   [&](const SlowDown& each) { return static_cast<double>(each.ranks) >= ranks; });
    if (more == known.end()) {
        return known.back().factor;
    }
    const auto at = static_cast<double>(more->ranks);
    if (more == known.begin()) {
        return more->factor > 1 ? 1 + (more->factor - 1) * ranks / at : more->factor;
    }
    const SlowDown& fewer = *std::prev(more);
    const auto from = static_cast<double>(fewer.ranks);
    const double w = std::log(ranks / from) / std::log(at / from);
    return std::pow(fewer.factor, 1 - w) * std::pow(more->factor, w);
}

/// As many ranks as fill the nodes that a group crosses.
double ranks_of_nodes(const cluster::Cluster& cluster, const CollectiveRequest& request,
                      std::span<const cluster::Span> spans) {
    std::int64_t together = 1;
    for (const cluster::Span& span : spans) {
        together = span.level == cluster.node_level + 1 ? span.members : together;
    }
    const bool pair = request.collective == Collective::send || request.collective == Collective::halo;
    const std::int64_t nodes = pair ? 2 : std::max<std::int64_t>(2, request.group.size() / together);
    return static_cast<double>(nodes * cluster.node_size());
}

}  // namespace

std::vector<SlowDown> slow_downs(const cluster::Cluster& cluster) {
    cluster::Cluster plain = cluster;
    plain.slow_downs.clear();
    std::vector<SlowDown> all;
    for (const auto& [collective, bandwidths] : cluster.measured) {
        for (const cluster::MeasuredBandwidth& measured : bandwidths) {
            if (measured.ranks > plain.devices()) {
                continue;
            }
            const CollectiveRequest request{.collective = collective,
                                            .group = {.strides = {{1, measured.ranks}}},
                                            .size = kBenchmarkSize,
                                            .ranks = measured.ranks};
            const Seconds due = sent_bytes(collective, measured.ranks, kBenchmarkSize) / measured.bus;
            all.push_back({collective, measured.ranks, due / collective_time(plain, request).time.value});
        }
    }
    std::sort(all.begin(), all.end(), [](const SlowDown& a, const SlowDown& b) { return a.ranks < b.ranks; });
    return all;
}

std::optional<double> slow_down(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                std::span<const cluster::Span> spans) {
    if (cluster.slow_downs.empty()) {
        return std::nullopt;
    }
    const bool inside = spans.back().level <= cluster.node_level;
    for (const Collective relative : relatives(request.collective)) {
        std::vector<SlowDown> known;
        std::copy_if(cluster.slow_downs.begin(), cluster.slow_downs.end(), std::back_inserter(known),
                     [&](const SlowDown& each) {
                         return each.collective == relative && (each.ranks <= cluster.node_size()) == inside;
                     });
        if (!known.empty()) {
            return inside ? known.back().factor : between(known, ranks_of_nodes(cluster, request, spans));
        }
    }
    return std::nullopt;
}

}  // namespace dodona::cost
