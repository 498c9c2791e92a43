#include <algorithm>

#include "questions/limits/limits.hpp"

namespace dodona::questions::limits {

LimitsAnswer ask(const Question& question, const search::Progress& progress) {
    const auto& [subject, graph, cluster, space, growth, settings] = question;
    const std::int64_t devices = growth.asked.value_or(growth.machine);
    std::vector<std::string> strategies;
    for (const plan::Strategy& strategy : space.strategies) {
        strategies.push_back(strategy.name);
    }
    return {.question = {.model = subject.model,
                         .machine = subject.machine,
                         .devices = devices,
                         .batch = growth.batch_on(devices),
                         .precision = space.precision,
                         .strategies = std::move(strategies),
                         .model_source = graph.source,
                         .machine_source = cluster.source,
                         .parameters = graph::count(graph).parameters,
                         .settings = settings},
            .growth = growth,
            .strategies = search::limits(graph, cluster, space, growth, progress)};
}

bool any_fits(const LimitsAnswer& answer) {
    return std::any_of(answer.strategies.begin(), answer.strategies.end(), [&](const search::StrategyLimits& limits) {
        return answer.growth.asked ? limits.verdict && limits.verdict->fits : limits.fits_from.has_value();
    });
}

}  // namespace dodona::questions::limits
