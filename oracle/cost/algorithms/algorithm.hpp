// The algorithms of collectives: one function each, one row of the table in collective_time.cpp per collective.
//
// Letters: p ranks of the group, n the request's size in bytes, alpha the latency of a step in s, and of each level
// crossed the bytes that leave a child over this group's share of it (path.hpp). The slowest level counts:
//
//   T = steps * alpha + max over levels of bytes_i / share_i
#pragma once

#include <optional>
#include <span>

#include "cluster/cluster.hpp"
#include "cost/collective_time.hpp"
#include "cost/path.hpp"

namespace dodona::cost {

/// Inputs of an algorithm.
struct Exchange {
    const cluster::Cluster& cluster;
    const CollectiveRequest& request;
    std::span<const cluster::Span> spans;
    const Path& path;
};

struct Cost {
    Seconds time;
    std::size_t level = 0;  ///< the level that sets the time
    double contention = 1;
    std::optional<Bytes> sent = {};  ///< by each rank, where it is not the bandwidth-optimal count
};

/// None if the algorithm does not apply to the group.
using AlgorithmFunction = std::optional<Cost> (*)(const Exchange&);

std::optional<Cost> ring_all_reduce(const Exchange& exchange);
std::optional<Cost> ring_pass(const Exchange& exchange);  ///< all-gather, reduce-scatter
std::optional<Cost> tree_all_reduce(const Exchange& exchange);
std::optional<Cost> double_tree_all_reduce(const Exchange& exchange);
std::optional<Cost> hierarchical_all_reduce(const Exchange& exchange);
std::optional<Cost> hierarchical_pass(const Exchange& exchange);  ///< all-gather, reduce-scatter
std::optional<Cost> routed_exchange(const Exchange& exchange);    ///< all-to-all of tokens to experts or back
std::optional<Cost> direct_all_reduce(const Exchange& exchange);
std::optional<Cost> direct_exchange(const Exchange& exchange);     ///< all-gather, reduce-scatter, all-to-all
std::optional<Cost> neighbour_exchange(const Exchange& exchange);  ///< send, halo
std::optional<Cost> torus_all_reduce(const Exchange& exchange);
std::optional<Cost> torus_pass(const Exchange& exchange);  ///< all-gather, reduce-scatter
std::optional<Cost> in_network_all_reduce(const Exchange& exchange);
std::optional<Cost> in_network_pass(const Exchange& exchange);  ///< all-gather, reduce-scatter
std::optional<Cost> parameter_server(const Exchange& exchange);

/// `passes` of a ring over `bytes`: 2 reduce and gather, 1 does one of them.
Cost ring(const Path& path, double passes, Bytes bytes);
/// The same over the dimensions of a torus; nothing where the path does not end in one, with one member a child.
std::optional<Cost> torus(const Path& path, double passes, Bytes bytes);

/// The innermost crossing whose children hold several members, where all of them hold as many, at the same positions;
/// outer domains may differ as long as they consist of whole children. Past the end if no child holds several members,
/// none if children do not hold members alike.
std::optional<std::size_t> innermost_shared(std::span<const cluster::Span> spans);

/// Each crossed level carries `bytes_out(crossing)` out of a child, after messages have waited for links for `waiting`.
template <std::invocable<const Crossing&> BytesOut>
Cost transfer(const Path& path, Seconds waiting, BytesOut bytes_out) {
    Seconds slowest;
    std::size_t slowest_level = path.crossings.front().level;
    std::size_t latest_level = slowest_level;
    for (const Crossing& crossing : path.crossings) {
        const Seconds time = bytes_out(crossing) / crossing.share;
        if (time > slowest) {
            slowest = time;
            slowest_level = crossing.level;
        }
        if (crossing.latency == path.latency()) {
            latest_level = crossing.level;
        }
    }
    return {waiting + slowest, waiting > slowest ? latest_level : slowest_level, path.contention};
}

/// The same in `steps` steps that each wait for the slowest link.
template <std::invocable<const Crossing&> BytesOut>
Cost transfer(const Path& path, double steps, BytesOut bytes_out) {
    return transfer(path, steps * path.latency(), bytes_out);
}

/// One after the other: the longer part names the level.
inline Cost operator+(const Cost& a, const Cost& b) {
    return {a.time + b.time, a.time < b.time ? b.level : a.level,
            a.contention < b.contention ? b.contention : a.contention};
}

}  // namespace dodona::cost
