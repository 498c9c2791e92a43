// Puts measured collectives and messages into the levels of a cluster.
#pragma once

#include <string>
#include <vector>

#include "calibrate/record/record.hpp"
#include "cluster/cluster.hpp"

namespace dodona::calibrate {

/// Adds the measured levels to a cluster without levels, else puts measurements into the levels that it has. Returns
/// sentences that say what was used.
std::vector<std::string> take_measured_levels(const std::vector<Record>& records, cluster::Cluster& cluster);

}  // namespace dodona::calibrate
