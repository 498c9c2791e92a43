// Answers that need no machine: delays of exchanges over numbers of workers, how many devices keep an efficiency, groups
// of nodes for each layer.
#pragma once

#include <string>
#include <vector>

#include "exchange/delays.hpp"
#include "exchange/layer_groups.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document delays_document(const exchange::DelayQuestion& question, const std::vector<exchange::Delays>& rows,
                         const std::vector<exchange::Crossover>& crossovers);

/// `overhead` over compute of one device, and the efficiency to keep.
Document overhead_document(double overhead, double efficiency);

struct GroupsQuestion {
    std::string model;
    std::int64_t nodes = 1;
    std::int64_t batch = 1;
};
Document groups_document(const GroupsQuestion& question, const std::vector<exchange::LayerGroups>& rows);

}  // namespace dodona::reports
