// A cluster as the YAML of its file, with its device, profile and links inside: one file that says all.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster.hpp"

namespace dodona::calibrate {

/// Read again (files::read_cluster) it is the same cluster, but for what only its author's words said: notes, and the
/// sources of single numbers. `notes`: comment lines at the top.
std::string machine_text(const cluster::Cluster& cluster, const std::vector<std::string>& notes);

}  // namespace dodona::calibrate
