// What was measured of a machine's links: protocols, curves, their ranges and errors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "reports/json/prediction.hpp"
#include "reports/table.hpp"

namespace dodona::reports {

/// One line a link and its protocols; a link that several levels share is told once.
std::vector<std::string> link_facts(const cluster::Cluster& cluster);

/// One row a collective and number of ranks; nothing where no curve is.
std::optional<Table> curve_table(const cluster::Cluster& cluster);

Record link_record(const cluster::Link& link);

}  // namespace dodona::reports
