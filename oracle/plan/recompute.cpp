#include "plan/recompute.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.hpp"
#include "plan/rules.hpp"

namespace dodona::plan {

namespace {

constexpr std::string_view kAnyBlock = "*/";

bool matches_any(const std::vector<Match>& all, const graph::Layer& layer) {
    return std::any_of(all.begin(), all.end(), [&](const Match& match) { return matches(match, layer); });
}

bool is_recomputable(const graph::Layer& layer) { return !layer.nest.inputs.empty() && layer.goes_backward(); }

/// Marks the layers of a module; returns whether there is one.
bool mark(const graph::Graph& graph, const MemoryProfile& software, std::string_view module,
          std::vector<bool>& marked) {
    bool found = false;
    for (const RecomputeModule& line : software.recompute_modules) {
        for (const graph::Segment& segment : graph.segments) {
            const auto has = [&](graph::Vertex v) { return matches_any(line.with, graph.layer(v)); };
            if (line.name != module || !segment.is_block() ||
                (!line.with.empty() && std::none_of(segment.layers.begin(), segment.layers.end(), has))) {
                continue;
            }
            for (const graph::Vertex v : segment.layers) {
                if (is_recomputable(graph.layer(v)) && matches_any(line.layers, graph.layer(v))) {
                    marked[v] = true;
                    found = true;
                }
            }
        }
    }
    return found;
}

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

std::vector<bool> named_layers(const graph::Graph& graph, const Plan& plan) {
    if (plan.recompute_layers.empty() && plan.recompute_modules.empty()) {
        return {};
    }
    std::vector<bool> named(graph.layers.size(), false);
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        named[v] = is_recomputable(graph.layer(v)) && matches_any(plan.recompute_layers, graph.layer(v));
    }
    for (const std::string& module : plan.recompute_modules) {
        mark(graph, plan.memory, module, named);
    }
    return named;
}

std::vector<bool> recomputed_layers(const graph::Graph& graph, const Plan& plan) {
    return plan.recompute == RecomputeKind::layers ? named_layers(graph, plan) : std::vector<bool>{};
}

std::string modules_text(const MemoryProfile& software) {
    std::vector<std::string> names;
    for (const RecomputeModule& line : software.recompute_modules) {
        if (names.empty() || names.back() != line.name) {
            names.push_back(line.name);
        }
    }
    return names.empty() ? "it has none: full, selective or layers=NAME"
                         : fmt::format("its modules: {}", fmt::join(names, ", "));
}

std::vector<std::string> modules_together(const graph::Graph& graph, const MemoryProfile& software) {
    std::vector<bool> unused(graph.layers.size(), false);
    for (const std::string& together : software.recomputed_together) {
        std::istringstream words(together);
        std::vector<std::string> modules{std::istream_iterator<std::string>(words), {}};
        if (std::all_of(modules.begin(), modules.end(),
                        [&](const std::string& module) { return mark(graph, software, module, unused); })) {
            return modules;
        }
    }
    return {};
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

std::vector<std::string> unknown_modules(const Plan& plan) {
    const auto& known = plan.memory.recompute_modules;
    std::vector<std::string> unknown = plan.recompute_modules;
    std::erase_if(unknown, [&](const std::string& module) {
        return any_of(known, [&](const RecomputeModule& line) { return line.name == module; });
    });
    return unknown;
}

}  // namespace dodona::plan
