// What was measured of a machine's links: protocols, curves, their ranges and errors.
#pragma once

#include <vector>

#include "cluster/cluster.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// What is known of each link and its protocols; a link that several levels share comes once.
std::vector<KeyFigure> link_figures(const cluster::Cluster& cluster);

/// One row a collective and number of ranks; empty without curves.
Table curve_table(const cluster::Cluster& cluster);

Record link_record(const cluster::Link& link);

}  // namespace dodona::reports
