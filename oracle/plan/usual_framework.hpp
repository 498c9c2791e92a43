// Default software for a network, a strategy and the maker of the device, as files of frameworks say
// by their keys `usual_*`, and what it can run. A machine's own `software` comes first. Of several versions of one
// software the newest that the device runs stands for all.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/framework.hpp"
#include "plan/strategy.hpp"

namespace dodona::plan {

/// Null where none is; of equals the first. Comes first, in this order: one for plans that offload, where they do; one for
/// the network's tasks that can run the strategy; one for networks of this kind; one that can run the strategy; one for the
/// tasks; one that names the strategy's ZeRO level. `strategy`: null for several. Devices whose maker is not known are taken
/// for NVIDIA's. `offload`: what plans keep in host memory.
const Framework* usual_framework(std::span<const Framework> all, const graph::Graph& graph, const Strategy* strategy,
                                 const cluster::Cluster& cluster, const Offload& offload);

/// Without those whose first release is later; `date`: "2025-06-30" or "2025-06", all of that month; empty: all.
std::vector<Framework> released_by(std::vector<Framework> all, std::string_view date);

/// The newest version of a software that the device runs; null: none.
const Framework* newest_version(std::span<const Framework> all, std::string_view version_of,
                                const cluster::Device& device);

/// Whether software can run plans of a strategy with this in host memory, as its file says.
bool can_run(const Framework& framework, const Strategy* strategy, const Offload& offload);

}  // namespace dodona::plan
