// The space that commands search: read from the options that they share.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/workload.hpp"
#include "questions/software.hpp"
#include "search/search.hpp"

namespace dodona::cli {

/// `--strategy all`: as without the option.
inline constexpr const char* kAllStrategies = "all";

/// Whether --strategy names any.
bool names_strategies(Arguments& arguments);
/// Those that --strategy names; otherwise all that are made for such a network. `layers`: the word for strategies made
/// layer by layer is the caller's.
std::vector<plan::Strategy> strategies_asked_for(Arguments& arguments, const Workload& workload, bool layers);

/// The space in its software; as it is, with the faults noted, where that cannot run it.
search::Space in_software(Arguments& arguments, const questions::SoftwareOptions& options, const Workload& workload,
                          search::Space space, bool named);

/// --strategy and --max-memory; `constraints`: with all that bounds or widens the space.
std::vector<Option> job_space_options(bool constraints);

enum class SpaceOf { question, plans };  ///< plans: a strategy for each layer and exchanges are the caller's

/// Faults of words that mean the same for any network and machine, before these are read.
void check_words_of_space(Arguments& arguments);

/// All of a space but its devices and its batch. Faults are noted in `arguments`.
search::Space job_space(Arguments& arguments, const Workload& workload, const questions::SoftwareOptions& software,
                        SpaceOf of = SpaceOf::question);
search::Space job_space(Arguments& arguments, const Workload& workload);

}  // namespace dodona::cli
