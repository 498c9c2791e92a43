// The machine of a run: a cluster file of its name, with the device that the row names.
#pragma once

#include "cluster/cluster.hpp"
#include "input/library.hpp"
#include "input/run_table.hpp"

namespace dodona::validate {

/// What a run's machine depends on, as one text.
std::string machine_key(const input::Run& run);

/// "single-gpu" is one device without links. Where a run takes fewer devices of each node than the node has, the
/// machine is one of such smaller nodes: same links inside and out, and neighbouring ranks in the same node.
cluster::Cluster machine_of(const input::Run& run, const input::Library& library);

}  // namespace dodona::validate
