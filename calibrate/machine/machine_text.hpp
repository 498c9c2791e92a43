// A cluster as a YAML file that also contains its device, profile and links.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster.hpp"

namespace dodona::calibrate {

/// files::read_cluster reads the same cluster from it, except for notes and the sources of single numbers. `notes`:
/// comment lines at the top.
std::string machine_text(const cluster::Cluster& cluster, const std::vector<std::string>& notes);

}  // namespace dodona::calibrate
