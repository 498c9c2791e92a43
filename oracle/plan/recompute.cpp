#include "plan/recompute.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "plan/rules.hpp"

namespace dodona::plan {

namespace {

constexpr std::string_view kAnyBlock = "*/";

}  // namespace

Match layers_named(std::string_view name) {
    return {.kinds = {},
            .roles = {},
            .names = {std::string(name), std::string(kAnyBlock) + std::string(name)},
            .first = {}};
}

std::optional<std::string> layer_name(const Match& match) {
    const bool named = !match.names.empty() && match == layers_named(match.names.front());
    return named ? std::optional(match.names.front()) : std::nullopt;
}

std::string text(const Match& match) {
    if (const auto name = layer_name(match)) {
        return *name;
    }
    std::vector<std::string> keys;
    const auto add = [&](std::string_view key, const std::vector<std::string>& words) {
        if (!words.empty()) {
            keys.push_back(fmt::format("{} {}", key, fmt::join(words, " or ")));
        }
    };
    add("kind", match.kinds);
    add("role", match.roles);
    add("name", match.names);
    if (match.first) {
        keys.push_back(fmt::format("first {}", *match.first));
    }
    return fmt::format("{{{}}}", fmt::join(keys, ", "));
}

std::vector<bool> recomputed_layers(const graph::Graph& graph, const Plan& plan) {
    std::vector<bool> repeated(graph.layers.size(), false);
    if (plan.recompute != RecomputeKind::layers) {
        return repeated;
    }
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        const graph::Layer& layer = graph.layer(v);
        repeated[v] = !layer.nest.inputs.empty() && layer.goes_backward() &&
                      std::any_of(plan.recompute_layers.begin(), plan.recompute_layers.end(),
                                  [&](const Match& match) { return matches(match, layer); });
    }
    return repeated;
}

std::vector<std::string> unmatched_layers(const graph::Graph& graph, const Plan& plan) {
    std::vector<std::string> unmatched;
    for (const Match& match : plan.recompute_layers) {
        const bool found = std::any_of(graph.layers.begin(), graph.layers.end(), [&](const graph::Layer& layer) {
            return !layer.nest.inputs.empty() && matches(match, layer);
        });
        if (!found) {
            unmatched.push_back(text(match));
        }
    }
    return unmatched;
}

}  // namespace dodona::plan
