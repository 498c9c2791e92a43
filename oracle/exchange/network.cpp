#include "exchange/network.hpp"

#include <algorithm>

#include "cluster/volume.hpp"
#include "cost/collective_time.hpp"
#include "cost/device_time.hpp"
#include "exchange/compression_time.hpp"

namespace dodona::exchange {

namespace {

using cluster::Collective;

/// The fastest protocol for large messages.
cluster::LinkTiming fastest_timing(const cluster::Level& level) {
    cluster::LinkTiming best = level.timing(0);
    for (std::size_t protocol = 1; protocol < level.protocols(); ++protocol) {
        if (level.timing(protocol).efficiency > best.efficiency) {
            best = level.timing(protocol);
        }
    }
    return best;
}

/// What all links of a child of a level carry, one way.
BytesPerSecond out_of_child(const cluster::Level& level) {
    const double links = level.kind == cluster::LevelKind::all_to_all ? static_cast<double>(level.size - 1)
                                                                      : static_cast<double>(level.links);
    return fastest_timing(level).efficiency / level.taper * links * level.bandwidth;
}

/// What one worker sends to one other over a level.
BytesPerSecond to_one(const cluster::Level& level, bool in_node) {
    std::int64_t links = 1;  // a worker drives one link of its node
    if (in_node && level.kind == cluster::LevelKind::ring) {
        links = (level.links + 1) / 2;
    } else if (in_node && level.kind != cluster::LevelKind::all_to_all) {
        links = level.links;
    }
    return fastest_timing(level).efficiency / level.taper * static_cast<double>(links) * level.bandwidth;
}

BytesPerSecond slower(BytesPerSecond so_far, BytesPerSecond level) {
    return so_far > BytesPerSecond{} ? min(so_far, level) : level;
}

/// Adds a level to a wire: the slowest level and the largest latency count.
void pass_level(Wire& wire, const cluster::Level& level, BytesPerSecond share) {
    const Seconds latency = fastest_timing(level).step;
    wire.latency = max(wire.latency, latency);
    wire.bandwidth = slower(wire.bandwidth, share);
}

Workers workers_of(const cluster::Cluster& cluster, const cluster::Group& group, std::int64_t ranks) {
    Workers workers{.count = group.size(), .per_node = group.size()};
    const std::vector<cluster::Span> spans = cluster::spans(cluster, group, ranks);
    for (const cluster::Span& span : spans) {
        if (span.level == cluster.node_level + 1) {
            workers.per_node = std::max<std::int64_t>(1, span.members);
        }
    }
    for (const cluster::Span& span : spans) {
        const cluster::Level& level = cluster.levels[span.level];
        const auto groups = static_cast<double>(span.groups);
        if (span.level <= cluster.node_level) {
            pass_level(workers.inside, level, out_of_child(level) / groups);
            workers.near = slower(workers.near, to_one(level, true));
            continue;
        }
        const double nodes = static_cast<double>(span.child_devices) / static_cast<double>(cluster.node_size());
        pass_level(workers.between, level, out_of_child(level) / groups / std::max(1.0, nodes));
    }
    for (const cluster::Span& span : spans) {
        if (span.level == cluster.node_level + 1) {
            const BytesPerSecond one = to_one(cluster.levels[span.level], false);
            workers.far = min(workers.between.bandwidth, one);
        }
    }
    return workers;
}

}  // namespace

Network network_of(const cluster::Cluster& cluster, const cluster::Group& group, std::int64_t ranks,
                   std::optional<cluster::Algorithm> algorithm, double slower) {
    const auto pass = [device = cluster.device](Bytes size) { return cost::stream_time(device, size).time.value; };
    return {
        .workers = workers_of(cluster, group, ranks),
        .collective =
            [&cluster, group, ranks, algorithm, slower](Collective collective, Bytes size) {
                const cost::CollectiveRequest request{
                    .collective = collective, .group = group, .size = size, .ranks = ranks};
                return slower * cost::collective_time(cluster, request, algorithm).time.value;
            },
        .reduce = [pass](Bytes size) { return pass(3.0 * size); },  // reads both, writes the sum
        .update = [pass](Bytes size) { return pass(3.0 * size); },  // reads gradients and weights, writes weights
        .compress = [device = cluster.device](const Compression& how,
                                              const Buffer& buffer) { return compression_time(how, buffer, device); }};
}

Network network_of(const EqualWorkers& workers) {
    const auto n = static_cast<double>(workers.count);
    return {.workers = {.count = workers.count, .per_node = 1, .between = workers.link, .far = workers.link.bandwidth},
            .collective =
                [workers, n](Collective collective, Bytes size) {
                    const double steps = collective == Collective::all_reduce ? 2 * (n - 1) : n - 1;
                    const Bytes reduced = collective == Collective::all_gather ? Bytes{} : (n - 1) / n * size;
                    return steps * workers.link.latency +
                           cluster::sent_share(collective, workers.count) * size / workers.link.bandwidth +
                           reduced / workers.reduce;
                },
            .reduce = [workers](Bytes size) { return size / workers.reduce; },
            .update = [workers](Bytes size) { return size / workers.update; },
            .compress = [workers](const Compression& how,
                                  const Buffer& buffer) { return kernel_traffic(how, buffer) / workers.reduce; }};
}

Seconds transfer(const Workers& workers, double steps, Bytes inside, Bytes outside) {
    const Seconds latency = workers.outermost().latency;
    const Seconds in_node = inside > Bytes{} ? inside / workers.inside.bandwidth : Seconds{};
    const Seconds out_of_node = outside > Bytes{} ? outside / workers.between.bandwidth : Seconds{};
    return steps * latency + max(in_node, out_of_node);
}

}  // namespace dodona::exchange
