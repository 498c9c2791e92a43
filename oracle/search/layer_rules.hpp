// Turns the choices of layers into a strategy with few rules.
#pragma once

#include <vector>

#include "search/network_choices.hpp"

namespace dodona::search {

/// A strategy with a rule for every layer: by operator where most layers of it have one choice, else by name.
/// `choices`: by layer, as indices into ChoosingLayer::lays.
plan::Strategy strategy_of(const graph::Graph& graph, const Setting& setting, const std::vector<ChoosingLayer>& layers,
                           const std::vector<int>& choices);

/// The same without rules for layers that get the same sharding by following their inputs. Partial sums may then pass
/// through these layers unreduced.
plan::Strategy terse_strategy_of(const graph::Graph& graph, const Setting& setting,
                                 const std::vector<ChoosingLayer>& layers, const std::vector<int>& choices);

/// Merges axes of such a plan that every rule lays together into one axis.
void join_axes(plan::Plan& plan);

}  // namespace dodona::search
