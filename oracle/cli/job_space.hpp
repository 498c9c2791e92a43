// The space that commands search: read from the options that they share.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/job.hpp"
#include "search/search.hpp"

namespace dodona::cli {

/// Those that --strategy names; otherwise all that are made for such a network.
std::vector<plan::Strategy> strategies_asked_for(Arguments& arguments, const graph::Graph& graph);

/// --strategy and --max-memory.
std::vector<Option> job_space_options();

/// All of a space but its devices and its batch. Faults are noted in `arguments`.
search::Space job_space(Arguments& arguments, const Job& job);

}  // namespace dodona::cli
