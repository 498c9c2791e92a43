// Patterns in which every worker takes the same part: all-reduce, and reduce-scatter with an update by the owner.
#include <cmath>

#include "cluster/volume.hpp"
#include "exchange/pattern_cost.hpp"

namespace dodona::exchange {

namespace {

using cluster::Collective;

/// Everybody waits for everybody: alone nobody gets a result.
PatternCost of_all(Seconds time, Bytes sent) {
    return {.alone = time, .together = time, .busiest = time, .sent = sent, .server = {}};
}

}  // namespace

PatternCost all_reduce_cost(const Round& round) {
    return of_all(round.network.collective(Collective::all_reduce, round.size),
                  cluster::sent_share(Collective::all_reduce, round.workers().count) * round.size);
}

/// Rounds within nodes come first; in those between nodes all workers of a node send at once.
PatternCost recursive_doubling_cost(const Round& round) {
    const Workers& workers = round.workers();
    const double inner = workers.leaves_nodes() ? std::ceil(std::log2(round.per_node())) : 0;
    const double rounds = std::ceil(std::log2(round.count()));
    const double outer = rounds - inner;
    Seconds time = rounds * round.network.reduce(round.size);
    if (inner > 0) {
        time += inner * one_transfer(workers.to_near(), round.size);
    }
    const double at_once = workers.leaves_nodes() ? round.per_node() : 1;
    const Wire& wire = workers.outermost();
    time += outer * (wire.latency + at_once * round.size / wire.bandwidth);
    return of_all(time, rounds * round.size);
}

PatternCost sharded_update_cost(const Round& round) {
    const Seconds time = round.network.collective(Collective::reduce_scatter, round.size) +
                         round.network.update(round.size / round.count()) +
                         round.network.collective(Collective::all_gather, round.size);
    return of_all(time, cluster::sent_share(Collective::all_reduce, round.workers().count) * round.size);
}

}  // namespace dodona::exchange
