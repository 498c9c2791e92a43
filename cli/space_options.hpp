// Options that bound or widen what `dodona plan` looks at.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "search/search.hpp"

namespace dodona::cli {

std::vector<Option> space_options();

/// The setting of a plan that --fixed takes under this name, by what users and plan files call it.
std::optional<search::PlanSetting> plan_setting_of(const std::string& name);

/// What plans must have, from an option that is written as --fixed.
void fix_kind(Arguments& arguments, const std::string& option, search::Space& space);

/// --max-memory and --reserve: they need neither model nor machine.
void read_memory(Arguments& arguments, search::Space& space);
/// A fault where --max-memory is more than any device has.
void check_memory(Arguments& arguments, const cluster::Cluster& cluster, const search::Space& space);

/// Fills what the options say but for --max-memory; `space.strategies` are known. Faults: sizes of axes that no
/// strategy has, offload without a host. `also_vary`: words of --vary that the caller reads.
void read_space(Arguments& arguments, const Workload& workload, search::Space& space,
                const std::vector<std::string>& also_vary = {});

}  // namespace dodona::cli
