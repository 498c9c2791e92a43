#include "plan/usual_framework.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/ranges.hpp"

namespace dodona::plan {

namespace {

/// Maker of devices whose file names no family.
constexpr cluster::Maker kUsualMaker = cluster::Maker::nvidia;

bool has_operator(const graph::Graph& graph, const std::string& word) {
    return any_of(graph.layers, [&](const graph::Layer& layer) { return layer.kind == word; });
}

/// Operators of a text; 0 if the network lacks one of them.
int operators_of_all(const std::string& text, const graph::Graph& graph) {
    int count = 0;
    std::istringstream words(text);
    for (std::string word; words >> word; ++count) {
        if (!has_operator(graph, word)) {
            return 0;
        }
    }
    return count;
}

/// Whether the network has a task of post-training that the framework is the default for, and operators that it names.
bool is_for_task(const Framework& framework, const graph::Graph& graph) {
    const std::vector<graph::Task>& its = framework.usual_tasks;
    const std::vector<graph::Task>& tasks = graph.post_training.tasks;
    const bool has_task = std::find_first_of(tasks.begin(), tasks.end(), its.begin(), its.end()) != tasks.end();
    return has_task && (framework.usual_for.empty() || any_of(framework.usual_for, [&](const std::string& text) {
                            return operators_of_all(text, graph) > 0;
                        }));
}

/// Two for each of the network's operators that a framework names, or for its task; one if it names any, else 0.
int fitness(const Framework& framework, const graph::Graph& graph) {
    if (!framework.usual_tasks.empty()) {
        return is_for_task(framework, graph) ? 2 : 0;
    }
    int named = 0;
    bool any = false;
    for (const std::string& text : framework.usual_for) {
        named += operators_of_all(text, graph);
        any = any || text == "*";
    }
    return named > 0 ? 2 * named : any ? 1 : 0;
}

bool is_default_on(const Framework& framework, const cluster::Device& device) {
    const std::vector<cluster::Maker>& makers = framework.usual_on;
    const cluster::Maker maker = device.maker().value_or(kUsualMaker);
    return (makers.empty() || std::find(makers.begin(), makers.end(), maker) != makers.end()) &&
           (!framework.usual_with || device.supports(*framework.usual_with));
}

bool is_among(const std::vector<std::string>& axes, const std::string& axis) { return contains(axes, axis); }

/// Whether every axis of a strategy is one over which states may be sharded, or splits whole samples only.
bool only_shards(const Strategy& strategy) {
    const auto splits_samples = [&](const std::string& axis) {
        return strategy.pipeline != axis && strategy.rules.empty() &&
               std::all_of(strategy.everywhere.begin(), strategy.everywhere.end(),
                           [&](const Lay& lay) { return lay.dimension == "batch" || !is_among(lay.axes, axis); });
    };
    return std::all_of(strategy.axes.begin(), strategy.axes.end(), [&](const std::string& axis) {
        return is_among(strategy.shard_axes, axis) || splits_samples(axis);
    });
}

/// The first of a machine's own that can run it, else the first; null: none of them is there.
const Framework* framework_of(const cluster::Cluster& cluster, std::span<const Framework> all, const Strategy* strategy,
                              const Offload& offload) {
    const Framework* first = nullptr;
    for (const std::string& name : cluster.software) {
        const auto* named = found_in(all, &Framework::name, name);
        if (named != nullptr && can_run(*named, strategy, offload)) {
            return named;
        }
        first = first == nullptr && named != nullptr ? named : first;
    }
    return first;
}

}  // namespace

const Framework* usual_framework(std::span<const Framework> all, const graph::Graph& graph, const Strategy* strategy,
                                 const cluster::Cluster& cluster, const Offload& offload) {
    if (const Framework* const own = framework_of(cluster, all, strategy, offload)) {
        return own;
    }
    const cluster::Device& device = cluster.device;
    const Framework* usual = nullptr;
    std::tuple best{false, false, 0, false, false, false};
    for (const Framework& framework : all) {
        if (!framework.version_of.empty() && newest_version(all, framework.version_of, device) != &framework) {
            continue;
        }
        const auto& levels = framework.usual_levels;
        const bool names = strategy != nullptr && strategy->shard && contains(levels, *strategy->shard);
        const bool has_strategy =
            framework.usual_offload ? strategy == nullptr || only_shards(*strategy) : levels.empty() || names;
        const bool has_place = is_default_on(framework, device) && (offload.moves() || !framework.usual_offload) &&
                               framework.can_run(graph.post_training.tasks);
        const bool runs = can_run(framework, strategy, offload);
        const bool for_task = is_for_task(framework, graph);
        const std::tuple its(framework.usual_offload, for_task && runs, fitness(framework, graph), runs, for_task,
                             names);
        if (fitness(framework, graph) > 0 && has_strategy && has_place && its > best) {
            usual = &framework;
            best = its;
        }
    }
    return usual;
}

std::vector<Framework> released_by(std::vector<Framework> all, std::string_view date) {
    std::erase_if(all, [&](const Framework& framework) {
        return !date.empty() && std::string_view(framework.since).substr(0, date.size()) > date;
    });
    return all;
}

const Framework* newest_version(std::span<const Framework> all, std::string_view version_of,
                                const cluster::Device& device) {
    const Framework* newest = nullptr;
    for (const Framework& framework : all) {
        if (framework.version_of == version_of && is_default_on(framework, device) &&
            (newest == nullptr || framework.since > newest->since)) {
            newest = &framework;
        }
    }
    return newest;
}

bool can_run(const Framework& framework, const Strategy* strategy, const Offload& offload) {
    return (strategy == nullptr || framework.can_run(*strategy)) && framework.can_offload(offload);
}

}  // namespace dodona::plan
