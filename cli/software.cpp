#include "cli/software.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/files.hpp"

namespace dodona::cli {

namespace {

/// Of devices whose file names no family.
constexpr const char* kUsualMaker = "NVIDIA";

/// Whether a framework is usual for a network: 2 if it names one of its operators, 1 if it names any, else 0.
int fitness(const plan::Framework& framework, const graph::Graph& graph) {
    int best = 0;
    for (const std::string& word : framework.usual_for) {
        const bool has = std::any_of(graph.layers.begin(), graph.layers.end(),
                                     [&](const graph::Layer& layer) { return layer.kind == word; });
        best = std::max(best, has ? 2 : word == "*" ? 1 : 0);
    }
    return best;
}

bool is_usual_on(const plan::Framework& framework, const std::string& maker) {
    const std::vector<std::string>& makers = framework.usual_on;
    return makers.empty() ||
           std::find(makers.begin(), makers.end(), maker.empty() ? kUsualMaker : maker) != makers.end();
}

/// The built-in framework that is usual for a network under a strategy on devices of a maker; else the neutral one. One
/// that names the ZeRO level of the strategy comes before those that name none.
plan::Framework usual_framework(const Workload& workload, const plan::Strategy* strategy) {
    plan::Framework usual;
    std::pair<int, bool> best{0, false};
    for (const std::string& name : library().frameworks()) {
        plan::Framework framework = library().framework(name);
        const auto& levels = framework.usual_levels;
        const bool names = strategy != nullptr && strategy->shard &&
                           std::find(levels.begin(), levels.end(), *strategy->shard) != levels.end();
        const std::pair its(fitness(framework, workload.graph), names);
        if (its.first > 0 && (levels.empty() || names) && is_usual_on(framework, workload.cluster.device.maker()) &&
            its > best) {
            usual = std::move(framework);
            best = its;
        }
    }
    return usual;
}

/// As the user's, and with the machine's interference where it says nothing of it.
plan::Framework on_machine(plan::Framework framework, const cluster::Cluster& cluster) {
    add_other_source(framework, cluster);
    plan::Framework::Number& interference = framework.number(plan::FrameworkParameter::interference);
    if (interference.source.empty() && cluster.interference) {
        const double lost = cluster.interference->lost;
        interference = {.value = lost, .lo = lost, .hi = lost, .bounds = {}, .source = cluster.interference->source};
    }
    return framework;
}

}  // namespace

plan::Framework framework_of(Arguments& arguments, const Workload& workload, const plan::Strategy* strategy) {
    const auto typed = arguments.text("--framework");
    return on_machine(typed ? library().framework(taken_as(arguments, files::NameOf::framework, *typed))
                            : usual_framework(workload, strategy),
                      workload.cluster);
}

void set_software(Arguments& arguments, const Workload& workload, search::Space& space) {
    space.framework =
        framework_of(arguments, workload, space.strategies.size() == 1 ? &space.strategies.front() : nullptr);
    space.memory = memory_of(space.framework);
}

std::optional<plan::Framework> other_usual_framework(const Workload& workload, const plan::Framework& framework,
                                                     const plan::Strategy& strategy) {
    if (framework.observed) {
        return {};
    }
    plan::Framework usual = on_machine(usual_framework(workload, &strategy), workload.cluster);
    return usual.name == framework.name ? std::nullopt : std::optional(std::move(usual));
}

void add_other_source(plan::Framework& framework, const cluster::Cluster& cluster) {
    if (!framework.fitted_to.empty() && !framework.observed) {
        framework.add(library().mechanism(plan::distance(framework, cluster.device.maker())));
    }
}

plan::MemoryProfile memory_of(const plan::Framework& framework) {
    return framework.memory.empty() ? plan::MemoryProfile{} : library().memory_profile(framework.memory);
}

}  // namespace dodona::cli
