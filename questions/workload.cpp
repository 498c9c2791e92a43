#include "questions/workload.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "files/measured_shares.hpp"
#include "graph/expert_loads.hpp"
#include "reports/document/number_format.hpp"
#include "search/space.hpp"

namespace dodona::questions {

std::vector<files::Setting> settings_of(const Parameters& parameters) {
    std::vector<files::Setting> settings;
    for (const auto& [parameter, value] : parameters) {
        settings.push_back({parameter, value, {}});
    }
    return settings;
}

graph::Graph network_with(const Workload& workload, const Parameters& parameters, const Location& where) {
    const std::string& model = workload.subject.model;
    const std::vector<files::Setting> settings = settings_of(parameters);
    graph::Graph graph =
        graph::build(workload.text.empty() ? workload.files.model(model, settings, where)
                                           : workload.files.model_from_text(workload.text, model, settings));
    if (!workload.expert_loads.empty()) {
        const graph::ExpertLoads loads = files::load_expert_loads(workload.expert_loads);
        const graph::LoadsTaken found = graph::take_loads(graph, loads);
        if (found == graph::LoadsTaken::even) {
            fail({},
                 fmt::format("--expert-loads: experts of {} have a capacity: tokens are padded or dropped, so that "
                             "all have equally many",
                             model),
                 "leave out the option, or the capacity");
        }
        if (found == graph::LoadsTaken::other_number) {
            fail({}, fmt::format("--expert-loads: {} has loads of {}, and {} has no mixture of so many",
                                 workload.expert_loads, reports::counted(loads.front().size(), "expert"), model));
        }
    }
    return graph;
}

graph::Graph network_at(const Workload& workload, std::int64_t sequence) {
    Parameters parameters = workload.parameters;
    std::erase_if(parameters, [](const auto& one) { return one.first == "sequence"; });
    parameters.emplace_back("sequence", std::to_string(sequence));
    return network_with(workload, parameters);
}

std::vector<plan::Strategy> strategies_made_for(const Workload& workload) {
    std::vector<plan::Strategy> strategies;
    for (const std::string& name : workload.files.strategies()) {
        plan::Strategy strategy = workload.files.strategy(name);
        if (search::considered(strategy, workload.graph)) {
            strategies.push_back(std::move(strategy));
        }
    }
    return strategies;
}

}  // namespace dodona::questions
