// What a run must reach, as options of the commands that ask backwards: work, deadline, throughput, budget, prices.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/workload.hpp"
#include "cluster/price.hpp"
#include "search/goal.hpp"

namespace dodona::cli {

std::vector<Option> goal_options();

/// The options as typed; goals_of converts them for a model.
struct GoalSettings {
    std::optional<double> tokens, samples, epochs;  ///< one of them, or none
    std::optional<Seconds> deadline;
    std::optional<double> tokens_per_second, samples_per_second;
    std::optional<Money> budget;
    std::string currency;                          ///< of the budget
    std::map<std::string, cluster::Price> prices;  ///< by machine, as it was typed; "": the only one
    [[nodiscard]] bool has_work() const { return tokens || samples || epochs; }
};

/// --price where there is one machine: without its name.
std::optional<cluster::Price> read_price(Arguments& arguments);

GoalSettings read_goals(Arguments& arguments);

/// In samples of this model. A fault where the goals cannot be asked of it.
search::Goals goals_of(Arguments& arguments, const GoalSettings& settings, const graph::Graph& graph);

/// Puts the prices of the command line in the place of those of files. Faults: a price of no machine asked about,
/// several currencies, a budget where a machine has no price.
void set_prices(Arguments& arguments, const GoalSettings& settings, std::vector<Workload>& workloads);

}  // namespace dodona::cli
