// Machines: the list of `dodona machines`, and one of them with its device and levels.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// Names of a cluster's devices: "a100 and v100".
std::string device_names(const cluster::Cluster& cluster);

Document machine_document(const cluster::Cluster& cluster);
/// What a search looks in.
std::string machine_facts(const cluster::Cluster& cluster);
/// By the family of their device.
Document machines_document(const std::vector<cluster::Cluster>& clusters);

}  // namespace dodona::reports
