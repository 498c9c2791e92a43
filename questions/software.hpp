// Which software a plan is predicted in: one that was named, else the default for the network, the strategy and the maker
// of the device.
#pragma once

#include <string>
#include <vector>

#include "questions/question.hpp"
#include "search/search.hpp"

namespace dodona::questions {

struct SoftwareOptions {
    std::vector<std::string> names;  ///< of built-ins, or files; "+deepep" alone: the default, with a mechanism more
    std::string date;                ///< "2025-06": the default is of that time; empty: the newest
    Location where;                  ///< where the names stand
};

/// "+deepep": the default, with a mechanism more.
bool is_addition(const std::string& name);

struct PlanSoftware {
    plan::Framework framework;
    Notes notes;  ///< of what it cannot run
};

/// What was named, or the default for the network and a plan's strategy, ZeRO level and offload; where it says nothing of
/// interference, with the machine's. `options` names one at most.
PlanSoftware software_of(const SoftwareOptions& options, const Workload& workload, const plan::Plan& plan);

/// The space with the software of each strategy. Unless strategies were `named`, those that the software cannot run are
/// left out, as are those that only software of other networks runs (unless Vary::unusual). Faults: software that runs no
/// strategy, a named strategy that none of it runs.
Asked<search::Space> in_software(const SoftwareOptions& options, const Workload& workload, search::Space space,
                                 bool named);

/// Whether the software of a space was moved to observed steps.
bool is_observed(const search::Space& space);
/// The framework of a space for a strategy; if none runs it, the first.
const plan::Framework& framework_for(const search::Space& space, const plan::Strategy& strategy);
/// What such software keeps in device memory beside the network's own tensors.
plan::MemoryProfile memory_of(const plan::Framework& framework, const files::Library& files);

/// The user's runs are of another source than those that a built-in framework was fitted to, and perhaps on devices of
/// another maker; observed ones are not.
void add_other_source(plan::Framework& framework, const Workload& workload);

}  // namespace dodona::questions
