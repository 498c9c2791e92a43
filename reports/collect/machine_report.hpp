// Machines: the list of `dodona machines`, and one of them with its device and levels.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "reports/json/prediction.hpp"
#include "reports/style.hpp"
#include "reports/table.hpp"

namespace dodona::reports {

/// Names of a cluster's devices: "a100 and v100".
std::string devices(const cluster::Cluster& cluster);

Json machine_json(const cluster::Cluster& cluster);
std::string machine_text(const cluster::Cluster& cluster, Style style);
std::string machine_markdown(const cluster::Cluster& cluster);

Json machines_json(const std::vector<cluster::Cluster>& clusters);
Table machines_table(const std::vector<cluster::Cluster>& clusters);

}  // namespace dodona::reports
