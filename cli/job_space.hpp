// The space that commands search: read from the options that they share.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/workload.hpp"
#include "search/search.hpp"

namespace dodona::cli {

/// `--strategy all`: as without the option.
inline constexpr const char* kAllStrategies = "all";

/// Whether --strategy names any.
bool names_strategies(Arguments& arguments);
/// Those that --strategy names; otherwise all that are made for such a network. `layers`: the word for strategies made
/// layer by layer is the caller's.
std::vector<plan::Strategy> strategies_asked_for(Arguments& arguments, const graph::Graph& graph, bool layers);

/// All that are made for such a network.
std::vector<plan::Strategy> strategies_made_for(const graph::Graph& graph);

/// --strategy and --max-memory; `constraints`: with all that bounds or widens the space.
std::vector<Option> job_space_options(bool constraints);

/// All of a space but its devices and its batch. Faults are noted in `arguments`.
search::Space job_space(Arguments& arguments, const Workload& workload);

}  // namespace dodona::cli
