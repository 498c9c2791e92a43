#include "cli/job_space.hpp"

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/files.hpp"
#include "cli/question.hpp"
#include "cli/software.hpp"
#include "cli/space_options.hpp"
#include "reports/collect/exchange_search_report.hpp"
#include "search/answer.hpp"

namespace dodona::cli {

bool names_strategies(Arguments& arguments) {
    return arguments.has("--strategy") && arguments.text("--strategy") != kAllStrategies;
}

std::vector<plan::Strategy> strategies_asked_for(Arguments& arguments, const Workload& workload, bool layers) {
    std::vector<plan::Strategy> strategies;
    const std::vector<std::string> named =
        names_strategies(arguments) ? arguments.list("--strategy") : std::vector<std::string>{};
    for (const std::string& name : named) {
        if (layers && name == search::kByLayers) {
            continue;
        }
        plan::Strategy strategy =
            read_strategy(taken_as(arguments, files::NameOf::strategy, name), arguments.place("--strategy"));
        if (any_of(strategies, [&](const plan::Strategy& other) { return other.name == strategy.name; })) {
            arguments.fault("--strategy", fmt::format("two strategies are called {}", strategy.name),
                            "leave one out, or give it another name in its file");
            continue;
        }
        strategies.push_back(std::move(strategy));
        // Asked for by its name it is searched for any network, in the sizes that it usually has.
        plan::Considered& considered = strategies.back().considered;
        considered = {
            .usual = {.leaves = std::move(considered.usual.leaves), .sizes = std::move(considered.usual.sizes)}};
    }
    return strategies.empty() ? questions::strategies_made_for(workload) : strategies;
}

search::Space in_software(Arguments& arguments, const questions::SoftwareOptions& options, const Workload& workload,
                          search::Space space, bool named) {
    questions::Asked<search::Space> found = questions::in_software(options, workload, space, named);
    if (const auto* const faults = std::get_if<questions::Faults>(&found)) {
        add_faults(arguments, *faults);
        return space;
    }
    return std::get<search::Space>(std::move(found));
}

std::vector<Option> job_space_options(bool constraints) {
    std::vector<Option> all{{"--strategy", "A,B,...",
                             "built-in strategies or files; default: all but the *-paradl ones", "Search", kOnce,
                             Names::strategies}};
    for (Option& option : space_options()) {
        if (constraints || option.names == "--max-memory" || option.names == "--reserve") {
            all.push_back(std::move(option));
        }
    }
    return all;
}

void check_words_of_space(Arguments& arguments) {
    search::Space ignored;
    read_memory(arguments, ignored);
    overlap_of(arguments);
}

search::Space job_space(Arguments& arguments, const Workload& workload, const questions::SoftwareOptions& software,
                        SpaceOf of) {
    const bool of_plans = of == SpaceOf::plans;
    search::Space space;
    read_memory(arguments, space);
    space.overlap = overlap_of(arguments);
    space.algorithm = algorithm_of(arguments, workload.cluster);
    space.precision = precision_of(arguments, workload.cluster);
    space.gradient_precision = gradient_precision_of(arguments);
    space.optimizer = optimizer_of(arguments, workload.graph);
    space.offload = offload_of(arguments, workload.cluster);
    check_memory(arguments, workload.cluster, space);
    space.strategies = strategies_asked_for(arguments, workload, of_plans);
    read_space(arguments, workload, space,
               of_plans ? value_names<reports::ExchangeKind>() : std::vector<std::string>{});
    space.top = 1;
    return in_software(arguments, software, workload, std::move(space), names_strategies(arguments));
}

search::Space job_space(Arguments& arguments, const Workload& workload) {
    return job_space(arguments, workload, read_software(arguments, workload));
}

}  // namespace dodona::cli
