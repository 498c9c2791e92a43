// The plan that a search recommends on each of many numbers of devices, of each strategy and of all of them together: what
// a report shows.
//
// Points are independent searches. They run side by side, one core each, the largest numbers first; the answer does not
// depend on how many run at once.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "search/limits.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// A point of a sweep, by its place in the question.
struct SweepKey {
    std::size_t growth = 0;
    std::size_t strategy = 0;  ///< of the space; one past the last: all of them together
    std::int64_t devices = 1;
    auto operator<=>(const SweepKey&) const = default;
};

struct SweepQuestion {
    Space space;                       ///< its devices and batch are not used; `workers`: points at once
    std::vector<Growth> growths;       ///< how the batch follows the devices: strong scaling, weak scaling, or both
    std::vector<std::int64_t> counts;  ///< of devices, ascending
};

struct SweepPoint {
    SweepKey key;
    ScalingPoint point;  ///< its efficiency is not set
};

struct Sweep {
    std::vector<SweepPoint> points;  ///< ascending by key; those that were finished
    bool complete = true;            ///< false: stopped
};

/// All keys of a question, ascending. A single strategy is not searched a second time as all of them.
std::vector<SweepKey> keys(const SweepQuestion& question);

/// The largest numbers of devices first, since they take longest; of each number all strategies together first.
std::vector<SweepKey> in_order_of_work(std::vector<SweepKey> asked);

/// The strategies of a point.
std::vector<plan::Strategy> strategies_of(const Space& space, const SweepKey& key);

/// The points of the keys that are in `asked`, which is ascending. `progress`: points done, all points; also called during
/// searches. Points that are under way when it stops the work are given up.
Sweep sweep(const graph::Graph& graph, const cluster::Cluster& cluster, const SweepQuestion& question,
            const std::vector<SweepKey>& asked, const Progress& progress = {});

/// A question that is asked of many numbers of devices.
struct ScalingQuestion {
    const graph::Graph& graph;
    const cluster::Cluster& cluster;
    const Space& space;
    const SoftwarePasses& passes;  ///< of the cluster
};

/// The recommended plan of these strategies on so many devices; where nothing fits, why. `progress` is that of the search.
ScalingPoint scaling_point(const ScalingQuestion& question, std::vector<plan::Strategy> strategies,
                           std::int64_t devices, std::int64_t batch, const Progress& progress = {});

/// The same for a single number of devices.
ScalingPoint scaling_point(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                           std::vector<plan::Strategy> strategies, std::int64_t devices, std::int64_t batch,
                           const Progress& progress = {});

/// How far the strategy of `space`, its only one, goes: all of StrategyLimits that needs no search.
StrategyLimits reach_of(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                        const Growth& growth);

/// Whole nodes and powers of two between `least` and `most`: powers of two to the size of a node, then nodes times powers
/// of two; `most` is among them. Ascending.
std::vector<std::int64_t> doublings(const cluster::Cluster& cluster, std::int64_t least, std::int64_t most);

}  // namespace dodona::search
