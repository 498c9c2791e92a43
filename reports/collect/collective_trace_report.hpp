// What makes the time of a collective, one correction after the other.
#pragma once

#include "cluster/cluster.hpp"
#include "reports/document/document.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

/// Domain: `line` has a request. A section: levels that the group crosses, algorithms tried, what was measured, what software and steps add.
void add_collective_trace(Document& document, const cluster::Cluster& cluster, const step::CommunicationLine& line);

}  // namespace dodona::reports
