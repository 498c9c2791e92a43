#include "cli/job_space.hpp"

#include "cli/files.hpp"
#include "search/space.hpp"

namespace dodona::cli {

std::vector<plan::Strategy> strategies_asked_for(Arguments& arguments, const graph::Graph& graph) {
    std::vector<plan::Strategy> strategies;
    for (const std::string& name : arguments.list("--strategy")) {
        strategies.push_back(read_strategy(name));
        strategies.back().considered = {};
    }
    if (!strategies.empty()) {
        return strategies;
    }
    for (const std::string& name : library().strategies()) {
        plan::Strategy strategy = read_strategy(name);
        if (search::considered(strategy, graph)) {
            strategies.push_back(std::move(strategy));
        }
    }
    return strategies;
}

std::vector<Option> job_space_options() {
    const std::string search = "Search";
    return {{.names = "--strategy",
             .value = "A,B,...",
             .description = "built-in strategies or files; default: all but the *-paradl ones",
             .group = search},
            {.names = "--max-memory",
             .value = "SIZE",
             .description = "of one device, such as 40GiB; default: all that it has",
             .group = search}};
}

search::Space job_space(Arguments& arguments, const Job& job) {
    search::Space space;
    space.max_memory = arguments.size("--max-memory");
    space.overlap = overlap_of(arguments);
    space.algorithm = algorithm_of(arguments);
    space.precision = precision_of(arguments, job.cluster);
    space.optimizer = optimizer_of(arguments, job.graph);
    space.offload = offload_of(arguments, job.cluster);
    space.framework = framework_of(arguments, job.graph);
    space.memory = memory_of(space.framework);
    space.strategies = strategies_asked_for(arguments, job.graph);
    space.top = 1;
    return space;
}

}  // namespace dodona::cli
