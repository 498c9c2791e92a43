// Which software is usual for a network, a strategy and the maker of the device, as files of frameworks say
// (`usual_for`, `usual_levels`, `usual_on`, `usual_offload`).
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.hpp"
#include "plan/framework.hpp"
#include "plan/strategy.hpp"

namespace dodona::plan {

/// Where plans run, as far as the choice of their software depends on it.
struct Setting {
    std::string_view maker;  ///< cluster::Device::maker; where it is empty, as on devices of NVIDIA
    bool offloads = false;   ///< something is kept in host memory
};

/// Null where none is. One for plans that offload comes first where they do, then one that names the ZeRO level of the
/// strategy. `strategy`: null for several.
const Framework* usual_framework(std::span<const Framework> all, const graph::Graph& graph, const Strategy* strategy,
                                 const Setting& setting);

}  // namespace dodona::plan
