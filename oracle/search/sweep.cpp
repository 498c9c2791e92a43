#include "search/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "search/mesh_layouts.hpp"

namespace dodona::search {

namespace {

/// Memory comes before limits of single meshes, since other meshes of this number are possible.
std::optional<Infeasible> foremost(const std::vector<Infeasible>& all) {
    const auto* lacks_memory = found_in(all, [](const Infeasible& one) { return one.nearest.has_value(); });
    return lacks_memory != nullptr ? std::optional(*lacks_memory)
           : all.empty()           ? std::nullopt
                                   : std::optional(all.front());
}

}  // namespace

std::vector<SweepKey> keys(const SweepQuestion& question) {
    std::vector<SweepKey> all;
    for (std::size_t growth = 0; growth < question.growths.size(); ++growth) {
        const std::size_t strategies = question.space.strategies.size();
        for (std::size_t strategy = 0; strategy < strategies + (strategies > 1 ? 1 : 0); ++strategy) {
            for (const std::int64_t devices : question.counts) {
                all.push_back({growth, strategy, devices});
            }
        }
    }
    return all;
}

std::vector<SweepKey> in_order_of_work(std::vector<SweepKey> asked) {
    std::stable_sort(asked.begin(), asked.end(), [](const SweepKey& a, const SweepKey& b) {
        return std::tuple(a.devices, a.strategy) > std::tuple(b.devices, b.strategy);
    });
    return asked;
}

std::vector<plan::Strategy> strategies_of(const Space& space, const SweepKey& key) {
    return key.strategy == space.strategies.size() ? space.strategies : std::vector{space.strategies.at(key.strategy)};
}

ScalingPoint scaling_point(const ScalingQuestion& question, std::vector<plan::Strategy> strategies,
                           std::int64_t devices, std::int64_t batch, const Progress& progress) {
    Space one = question.space;
    one.devices = devices;
    one.batch = batch;
    one.strategies = std::move(strategies);
    one.top = 1;
    one.best_only = true;
    Answer answer = search(question.graph, question.cluster, one, question.passes, progress);
    ScalingPoint point{.devices = devices, .batch = batch, .best = {}, .unusual = {}, .why_not = {}};
    if (!answer.plans.empty()) {
        point.best = std::move(answer.plans.front());
        point.unusual = std::move(answer.unusual);
    } else {
        point.why_not = foremost(answer.infeasible);
    }
    return point;
}

ScalingPoint scaling_point(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                           std::vector<plan::Strategy> strategies, std::int64_t devices, std::int64_t batch,
                           const Progress& progress) {
    PassCostsByCondition passes(graph, space, false);
    return scaling_point({graph, cluster, space, passes.of(cluster, space)}, std::move(strategies), devices, batch,
                         progress);
}

Sweep sweep(const graph::Graph& graph, const cluster::Cluster& cluster, const SweepQuestion& question,
            const std::vector<SweepKey>& asked, const Progress& progress) {
    const std::vector<SweepKey> order = in_order_of_work(asked);
    Space space = question.space;
    space.workers = 1;
    PassCostsByCondition known(graph, space, false);
    const SoftwarePasses passes = known.of(cluster, space);
    std::vector<std::optional<SweepPoint>> found(asked.size());
    std::atomic<bool> stopped = false;
    std::atomic<std::int64_t> done = 0;
    std::mutex reporting;
    const auto goes_on = [&] {
        const std::unique_lock lock(reporting, std::try_to_lock);
        if (lock && !stopped && progress && !progress(done, static_cast<std::int64_t>(asked.size()))) {
            stopped = true;
        }
        return !stopped;
    };
    parallel_for(asked.size(), question.space.workers, [&](std::size_t i) {
        const SweepKey& key = order[i];
        if (!goes_on()) {
            return;
        }
        ScalingPoint point = scaling_point({graph, cluster, space, passes}, strategies_of(space, key), key.devices,
                                           question.growths.at(key.growth).batch_on(key.devices),
                                           [&](std::int64_t, std::int64_t) { return goes_on(); });
        if (!stopped) {
            found[i] = {key, std::move(point)};
            ++done;
        }
    });
    Sweep sweep{.points = {}, .complete = !stopped};
    for (std::optional<SweepPoint>& point : found) {
        if (point) {
            sweep.points.push_back(std::move(*point));
        }
    }
    std::sort(sweep.points.begin(), sweep.points.end(),
              [](const SweepPoint& a, const SweepPoint& b) { return a.key < b.key; });
    return sweep;
}

StrategyLimits reach_of(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                        const Growth& growth) {
    Growth whole = growth;
    whole.machine = cluster.devices();
    whole.asked = {};
    return std::move(limits(graph, cluster, space, whole, [](std::int64_t, std::int64_t) { return false; }).front());
}

std::vector<std::int64_t> doublings(const cluster::Cluster& cluster, std::int64_t least, std::int64_t most) {
    std::set<std::int64_t> counts;
    const std::int64_t node = cluster.node_size();
    const auto add = [&](std::int64_t count) {
        if (count >= least && count <= most) {
            counts.insert(count);
        }
    };
    for (std::int64_t count = 1; count < node; count *= 2) {
        add(count);
    }
    for (std::int64_t count = node; count <= most; count *= 2) {
        add(count);
    }
    add(most);
    add(least);
    return {counts.begin(), counts.end()};
}

}  // namespace dodona::search
