// Choices of layers as a strategy: rules that say in as few words as they can what every layer does.
#pragma once

#include <vector>

#include "search/network_choices.hpp"

namespace dodona::search {

/// A strategy with a rule for every layer, by kind where all of a kind do alike, else by name. `choices`: by layer.
plan::Strategy strategy_of(const graph::Graph& graph, const Setting& setting, const std::vector<ChoosingLayer>& layers,
                           const std::vector<int>& choices);

/// The same without rules for layers that do the same by following their inputs; partial sums may then pass them.
plan::Strategy terse_strategy_of(const graph::Graph& graph, const Setting& setting,
                                 const std::vector<ChoosingLayer>& layers, const std::vector<int>& choices);

/// Axes that are always laid together, in a plan of such a strategy, as one axis.
void join_axes(plan::Plan& plan);

}  // namespace dodona::search
