// Parameter servers: every worker pushes n bytes of gradients and pulls n bytes of sums; s servers hold n/s each. Push
// and pull are sequential, T = 2 (alpha + the slowest link), and workers reduce nothing for each other.
//
//   on devices, k of each node   out of a child with m_i workers and s_i servers
//                                max( s_i (p - m_i), m_i (s - s_i) ) / s * n;  of one server's device: (p-1) n / s
//   on hosts, k of each node     n over each worker's link to its host; outside the node as above
//   on nodes of their own, s     m_i n out of a child; of one server's node: p n / s for each of the job's groups
//
// The bottleneck is the busiest server with (p-1) n / s bytes: one server per node is as fast as a direct exchange
// between nodes, one server in all is not. Domain: all-reduce, synchronous updates. The cluster's `parameter_servers`
// say where; one on the first device of each node by default, beside its worker. Not modelled: arithmetic of the
// servers; bandwidth of host memory; late workers; push and pull of different tensors at once, which a full-duplex link
// would overlap. Source: Li et al., "Scaling distributed machine learning with the parameter server", OSDI 2014,
// section 3.2; placements as in tf_cnn_benchmarks (--variable_update=parameter_server, --local_parameter_device=cpu,
// gpu).
#include <algorithm>

#include "cost/algorithms/algorithm.hpp"

namespace dodona::cost {

namespace {

using Place = cluster::ParameterServers::Place;

/// The workers of one group in a node.
struct Workers {
    double all = 1;
    double per_node = 1;
    double groups = 1;   ///< of the job that share a node
    bool leave = false;  ///< the node
};

Workers workers_of(const Exchange& exchange) {
    const auto p = static_cast<double>(exchange.path.ranks);
    for (const cluster::Span& span : exchange.spans) {
        if (span.level > exchange.cluster.node_level) {
            return {p, static_cast<double>(span.members), static_cast<double>(span.groups), true};
        }
    }
    const auto here = static_cast<double>(std::min(exchange.request.ranks, exchange.cluster.node_size()));
    return {p, p, std::max(1.0, here / p), false};
}

/// Servers in a child with `members` workers.
double servers_in(const Crossing& crossing, const Exchange& exchange, const Workers& workers, double per_node) {
    const auto members = static_cast<double>(crossing.members);
    return crossing.level > exchange.cluster.node_level ? per_node * members / workers.per_node
                                                        : std::min(per_node, members);
}

Cost beside_workers(const Exchange& exchange, const Workers& workers) {
    const cluster::ParameterServers& servers = exchange.cluster.parameter_servers;
    const bool on_host = servers.place == Place::host && exchange.cluster.host;
    const double per_node = std::min(static_cast<double>(servers.count), workers.per_node);
    const double all = per_node * workers.all / workers.per_node;
    const Bytes size = exchange.request.size;
    Cost phase = transfer(exchange.path, 1, [&](const Crossing& crossing) {
        if (on_host && crossing.level <= exchange.cluster.node_level) {
            return crossing.share / exchange.cluster.host->bandwidth * size;
        }
        const auto m = static_cast<double>(crossing.members);
        const double inside = servers_in(crossing, exchange, workers, per_node);
        return std::max(inside * (workers.all - m), m * (all - inside)) / all * size;
    });
    if (on_host) {
        phase.sent = size / 2.0;  // workers send only in the push; servers send in the pull
    }
    return phase;
}

Cost on_own_nodes(const Exchange& exchange, const Workers& workers) {
    const cluster::Cluster& cluster = exchange.cluster;
    const auto servers = static_cast<double>(cluster.parameter_servers.count);
    const Bytes size = exchange.request.size;
    Cost phase = transfer(exchange.path, 1,
                          [&](const Crossing& crossing) { return static_cast<double>(crossing.members) * size; });
    const std::size_t outside = std::min(cluster.node_level + 1, cluster.levels.size() - 1);
    const cluster::Level& level = cluster.levels[outside];
    const cluster::LinkTiming timing = level.timing(exchange.path.protocol);
    const BytesPerSecond link = static_cast<double>(level.links) * timing.efficiency * level.bandwidth / level.taper;
    const double served = static_cast<double>(exchange.request.ranks) / servers;
    const double leaving = workers.leave ? 0 : workers.per_node * workers.groups;
    const Seconds time = std::max(served, leaving) * size / link + timing.step;
    if (time > phase.time) {
        phase.time = time;
        phase.level = outside;
    }
    phase.sent = size / 2.0;
    return phase;
}

}  // namespace

std::optional<Cost> parameter_server(const Exchange& exchange) {
    const Workers workers = workers_of(exchange);
    const Cost phase = exchange.cluster.parameter_servers.place == Place::nodes ? on_own_nodes(exchange, workers)
                                                                                : beside_workers(exchange, workers);
    Cost both = phase + phase;
    if (phase.sent) {
        both.sent = 2.0 * *phase.sent;
    }
    return both;
}

}  // namespace dodona::cost
