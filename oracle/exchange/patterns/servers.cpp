// Patterns with servers: k of them on nodes of their own, a part of one on every worker, a tree below one, or a master
// that keeps an average.
//
//   k servers        each way  alpha + max( per_node S / B_between,  n S / (k B_server) )
//   on the workers   each way  alpha + max( (per_node-1) S / (n B_inside),  per_node (n-per_node) S / (n B_between) )
//
// One worker alone has its node's link for itself. A server of an asynchronous exchange makes an update for each worker.
#include <algorithm>
#include <cmath>

#include "exchange/pattern_cost.hpp"

namespace dodona::exchange {

namespace {

/// k servers on nodes of their own, each with the link of a node, or on a single node of workers with that of a worker.
PatternCost with_servers(const Round& round, double servers) {
    const Workers& workers = round.workers();
    const Wire& wire = workers.outermost();
    const double senders = workers.leaves_nodes() ? round.per_node() : 1;
    const Bytes into_server = round.count() / servers * round.size;
    const Seconds on_links = max(into_server / wire.bandwidth, senders * round.size / wire.bandwidth);
    const Seconds update = round.network.update(round.size / servers);
    return {.alone = 2.0 * one_transfer(workers.to_far(), round.size) + update,
            .together = 2.0 * (wire.latency + on_links) +
                        round.network.reduce((round.count() - 1) / servers * round.size) + update,
            .busiest = max(on_links, round.count() * update),
            .sent = round.size,
            .server = into_server};
}

PatternCost on_workers(const Round& round) {
    const Workers& workers = round.workers();
    const double n = round.count();
    const double near = round.per_node() - 1;
    const Bytes part = round.size / n;
    const Bytes outside = workers.leaves_nodes() ? round.per_node() * (n - round.per_node()) * part : Bytes{};
    const Seconds update = round.network.update(part);
    const Seconds on_links = transfer(workers, 0, near * part, outside);
    const Bytes sent = (n - 1) * part;
    return {.alone = 2.0 * one_transfer(workers.to_far(), sent) + update,
            .together = 2.0 * transfer(workers, 1, near * part, outside) + round.network.reduce(sent) + update,
            .busiest = max(on_links, n * update),
            .sent = sent,
            .server = sent};
}

}  // namespace

PatternCost servers_cost(const Round& round) {
    return round.exchange.servers ? with_servers(round, static_cast<double>(*round.exchange.servers))
                                  : on_workers(round);
}

PatternCost master_cost(const Round& round) {
    return with_servers(round, static_cast<double>(round.exchange.servers.value_or(1)));
}

PatternCost scatter_reduce_cost(const Round& round) {
    const Seconds to_server = one_transfer(round.workers().outermost(), round.size);  // from all workers at once
    const Seconds time = round.network.collective(cluster::Collective::reduce_scatter, round.size) + to_server +
                         round.network.update(round.size) + to_server +
                         round.network.collective(cluster::Collective::all_gather, round.size);
    const double n = round.count();
    return {.alone = time,
            .together = time,
            .busiest = time,
            .sent = (2 * (n - 1) / n + 1 / n) * round.size,
            .server = round.size};
}

/// Rounds within nodes come first, then one worker of each node sends. In an asynchronous tree a worker exchanges with
/// its parent alone, and the root has ceil(log2 n) children.
PatternCost tree_cost(const Round& round) {
    const Workers& workers = round.workers();
    const Wire wire = workers.to_far();
    const double rounds = std::ceil(std::log2(round.count() + 1));
    const double reductions = std::ceil(std::log2(round.count()));
    const double inner = workers.leaves_nodes() ? std::min(rounds, std::ceil(std::log2(round.per_node()))) : 0;
    Seconds each_way = (rounds - inner) * one_transfer(wire, round.size);
    if (inner > 0) {
        each_way += inner * one_transfer(workers.to_near(), round.size);
    }
    const Seconds update = round.network.update(round.size);
    return {.alone = 2.0 * one_transfer(workers.to_far(), round.size) + update,
            .together = 2.0 * each_way + reductions * round.network.reduce(round.size) + update,
            .busiest = max(reductions * round.size / wire.bandwidth, reductions * update),
            .sent = round.size,
            .server = reductions * round.size};
}

}  // namespace dodona::exchange
