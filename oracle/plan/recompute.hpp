// Recomputation of named layers: the layers that a plan drops and runs again in backward.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.hpp"
#include "plan/plan.hpp"

namespace dodona::plan {

/// Layers of this name, at the top or in any block: "norm1" matches `layers[1]/norm1`. `*` stands for any characters.
Match layers_named(std::string_view name);

/// The name given to layers_named(); none for other matches.
std::optional<std::string> layer_name(const Match& match);

/// A match for messages: the name, or its conditions: `{kind gelu}`.
std::string text(const Match& match);

/// By vertex, whether the plan recomputes the layer by name.
std::vector<bool> recomputed_layers(const graph::Graph& graph, const Plan& plan);

/// Patterns of the plan that match no layer of the network.
std::vector<std::string> unmatched_layers(const graph::Graph& graph, const Plan& plan);

}  // namespace dodona::plan
