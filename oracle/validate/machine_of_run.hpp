// The machine of a run: a cluster file of its name, with the device that the row names.
#pragma once

#include "cluster/cluster.hpp"
#include "files/library.hpp"
#include "files/run_table.hpp"
#include "files/table_conventions.hpp"
#include "validate/tables.hpp"

namespace dodona::validate {

/// What a run's machine depends on, as one text.
std::string machine_key(const files::MeasuredRun& run);

/// "single-gpu" is one device without links. Where a run takes fewer devices of each node than the node has, the
/// machine is one of such smaller nodes: same links inside and out, and neighbouring ranks in the same node.
/// A machine that is not built in is that of its row in `tables`, if there is one.
cluster::Cluster machine_of(const files::MeasuredRun& run, const files::Library& library, const Tables& tables,
                            const files::TableConventions& conventions);

/// The machine with the bus bandwidths that the run measured, over its devices and over those of a node.
cluster::Cluster with_links(cluster::Cluster machine, const files::MeasuredRun& run, const files::LinkRow& links);

/// Throws InputError where a run needs the fabric of a machine whose row in `tables` does not state it.
void check_size(const files::MeasuredRun& run, const Tables& tables, const cluster::Cluster& machine);

}  // namespace dodona::validate
