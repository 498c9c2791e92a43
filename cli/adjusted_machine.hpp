// --adjust: the same question for another machine.
#pragma once

#include "cli/arguments.hpp"
#include "cluster/cluster.hpp"

namespace dodona::cli {

/// The machine with what --adjust names so many times as large. Faults are noted in `arguments`.
cluster::Cluster adjusted_machine(Arguments& arguments, cluster::Cluster cluster);

}  // namespace dodona::cli
