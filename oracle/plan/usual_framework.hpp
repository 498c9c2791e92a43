// Which software is usual for a network, a strategy and the maker of the device, as files of frameworks say
// (`usual_for`, `usual_levels`, `usual_on`, `usual_offload`).
#pragma once

#include <optional>
#include <span>

#include "graph/graph.hpp"
#include "plan/framework.hpp"
#include "plan/strategy.hpp"

namespace dodona::plan {

/// Null where none is. One for plans that offload comes first where they do, then one that names the ZeRO level of the
/// strategy. `strategy`: null for several. `maker`: cluster::Device::maker; none: as on devices of NVIDIA.
/// `offloads`: whether plans keep something in host memory.
const Framework* usual_framework(std::span<const Framework> all, const graph::Graph& graph, const Strategy* strategy,
                                 std::optional<cluster::Maker> maker, bool offloads);

}  // namespace dodona::plan
