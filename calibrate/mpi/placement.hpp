// Which ranks a case runs on.
//
// A group takes `ranks_per_node` ranks of a host and ranks / ranks_per_node hosts, rank after rank, host after host.
// Concurrent groups lie side by side on the same hosts as long as those have ranks left, then on the next hosts. Of a
// message between hosts the two are half of all hosts apart, so that where there is a spine it is crossed.
#pragma once

#include <vector>

#include "calibrate/mpi/world.hpp"
#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate {

/// Each group's ranks of the job, in the group's order; rank 0 is the first of the first. Throws CannotMeasure where
/// the case asks for more ranks or hosts than there are. Hosts hold equally many ranks.
std::vector<std::vector<int>> placed(const Case& asked, const std::vector<Host>& hosts);

}  // namespace dodona::calibrate
