#include "plan/usual_framework.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace dodona::plan {

namespace {

/// Of devices whose file names no family.
constexpr cluster::Maker kUsualMaker = cluster::Maker::nvidia;

/// 2 if a framework names one of the network's operators, 1 if it names any, else 0.
int fitness(const Framework& framework, const graph::Graph& graph) {
    int best = 0;
    for (const std::string& word : framework.usual_for) {
        const bool has = std::any_of(graph.layers.begin(), graph.layers.end(),
                                     [&](const graph::Layer& layer) { return layer.kind == word; });
        best = std::max(best, has ? 2 : word == "*" ? 1 : 0);
    }
    return best;
}

bool is_usual_on(const Framework& framework, std::optional<cluster::Maker> maker) {
    const std::vector<cluster::Maker>& makers = framework.usual_on;
    return makers.empty() || std::find(makers.begin(), makers.end(), maker.value_or(kUsualMaker)) != makers.end();
}

/// Whether states may be sharded over all axes of a strategy: none splits the work of a sample.
bool only_shards(const Strategy& strategy) {
    return std::all_of(strategy.axes.begin(), strategy.axes.end(), [&](const std::string& axis) {
        return std::find(strategy.shard_axes.begin(), strategy.shard_axes.end(), axis) != strategy.shard_axes.end();
    });
}

}  // namespace

const Framework* usual_framework(std::span<const Framework> all, const graph::Graph& graph, const Strategy* strategy,
                                 std::optional<cluster::Maker> maker, bool offloads) {
    const Framework* usual = nullptr;
    std::tuple best{false, 0, false};
    for (const Framework& framework : all) {
        const auto& levels = framework.usual_levels;
        const bool names = strategy != nullptr && strategy->shard &&
                           std::find(levels.begin(), levels.end(), *strategy->shard) != levels.end();
        const bool has_strategy =
            framework.usual_offload ? strategy == nullptr || only_shards(*strategy) : levels.empty() || names;
        const bool has_place = is_usual_on(framework, maker) && (offloads || !framework.usual_offload);
        const std::tuple its(framework.usual_offload, fitness(framework, graph), names);
        if (fitness(framework, graph) > 0 && has_strategy && has_place && its > best) {
            usual = &framework;
            best = its;
        }
    }
    return usual;
}

}  // namespace dodona::plan
