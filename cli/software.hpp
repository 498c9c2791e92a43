// Which software a plan is predicted in: that of --software, else what is usual for the network, the strategy and the
// maker of the device.
#pragma once

#include "cli/workload.hpp"
#include "search/search.hpp"

namespace dodona::cli {

/// --software, or the default one for the network and a plan's strategy, ZeRO level and offload; where it says nothing of
/// interference, with the machine's.
plan::Framework framework_of(Arguments& arguments, const Workload& workload, const plan::Plan& plan);
/// The same for each strategy of a space. Unless they were `named`, those that --software cannot run are left out, as
/// are those that only software of other networks runs (unless Vary::unusual); it is a fault where one of --software runs
/// none, or where none of them runs one that was named.
void set_software(Arguments& arguments, const Workload& workload, search::Space& space, bool named);
/// Whether the software of a space was moved to observed steps.
bool is_observed(const search::Space& space);
/// The framework of a space for a strategy; if none runs it, the first.
const plan::Framework& framework_for(const search::Space& space, const plan::Strategy& strategy);
/// What such software keeps in device memory beside the network's own tensors.
plan::MemoryProfile memory_of(const plan::Framework& framework);

/// The user's runs are of another source than those that a built-in framework was fitted to, and perhaps on devices of
/// another maker; observed ones are not.
void add_other_source(plan::Framework& framework, const cluster::Cluster& cluster);

}  // namespace dodona::cli
