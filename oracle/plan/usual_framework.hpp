// Which software is usual for a network, a strategy and the maker of the device, as files of frameworks say
// (`usual_for`, `usual_levels`, `usual_on`, `usual_offload`).
#pragma once

#include <optional>
#include <span>

#include "graph/graph.hpp"
#include "plan/framework.hpp"
#include "plan/strategy.hpp"

namespace dodona::plan {

/// Null where none is; of equals the first. One for plans that offload comes first where they do, then one that names the ZeRO level of the
/// strategy. `strategy`: null for several. `maker`: cluster::Device::maker; none: as on devices of NVIDIA.
/// `offload`: what plans keep in host memory. What cannot do that, or run the strategy, is never usual.
const Framework* usual_framework(std::span<const Framework> all, const graph::Graph& graph, const Strategy* strategy,
                                 std::optional<cluster::Maker> maker, const Offload& offload);

/// Whether some software is usual for networks with an operator of this one, on devices of this maker.
bool has_own_software(std::span<const Framework> all, const graph::Graph& graph, std::optional<cluster::Maker> maker);
/// Whether a framework is usual for all networks that no other is usual for.
bool is_usual_for_others(const Framework& framework, const graph::Graph& graph);

}  // namespace dodona::plan
