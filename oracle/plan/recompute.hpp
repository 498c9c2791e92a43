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

/// By vertex, whether the plan names the layer as one to recompute; empty: it names none.
std::vector<bool> named_layers(const graph::Graph& graph, const Plan& plan);

/// The same where the plan recomputes them.
std::vector<bool> recomputed_layers(const graph::Graph& graph, const Plan& plan);

/// Patterns of the plan that match no layer of the network.
std::vector<std::string> unmatched_layers(const graph::Graph& graph, const Plan& plan);

/// Modules of the plan that its software does not have. One that the network does not have is passed over, as software does.
std::vector<std::string> unknown_modules(const Plan& plan);

/// "its modules: core_attn, layernorm".
std::string modules_text(const MemoryProfile& software);

/// The modules of the network that a search in this software recomputes together; empty: none.
std::vector<std::string> modules_together(const graph::Graph& graph, const MemoryProfile& software);

}  // namespace dodona::plan
