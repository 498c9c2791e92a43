// Measured collectives and messages into a cluster's levels.
#pragma once

#include <string>
#include <vector>

#include "calibrate/record/record.hpp"
#include "cluster/cluster.hpp"

namespace dodona::calibrate {

/// Gives the cluster the levels that were measured, or gives the levels that it has what was measured on them. What was
/// taken, in sentences.
std::vector<std::string> take_measured_levels(const std::vector<Record>& records, cluster::Cluster& cluster);

}  // namespace dodona::calibrate
