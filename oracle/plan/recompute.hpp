// Recomputation of named layers: which layers a plan drops and runs again in backward.
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

/// The name that layers_named() was given; none for other matches.
std::optional<std::string> layer_name(const Match& match);

/// The same for messages; other matches by their words: `{kind gelu}`.
std::string text(const Match& match);

/// By vertex, whether the plan recomputes the layer by name; all false unless it recomputes so.
std::vector<bool> recomputed_layers(const graph::Graph& graph, const Plan& plan);

/// Patterns of the plan that match no layer of the network.
std::vector<std::string> unmatched_layers(const graph::Graph& graph, const Plan& plan);

}  // namespace dodona::plan
