#include "search/layer_rules.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "graph/operators.hpp"
#include "plan/operands.hpp"
#include "plan/shard.hpp"
#include "search/answer.hpp"

namespace dodona::search {

using graph::Vertex;
using plan::Lay;
using plan::Rule;

namespace {

/// Lays without their source locations, for comparison.
using Laid = std::vector<std::pair<std::string, std::vector<std::string>>>;

Laid plain(const std::vector<Lay>& lays) {
    Laid laid;
    for (const Lay& lay : lays) {
        laid.emplace_back(lay.dimension, lay.axes);
    }
    return laid;
}

/// The lays of one layer or network input.
struct LayerLays {
    std::string kind;
    std::string pattern;
    std::vector<Lay> lays;
    bool has_rule = true;  ///< false: the layer follows its inputs
};

/// Lays of a network input: those of its first reader, for the dimensions of the input that the reader's loops index.
std::vector<Lay> as_read(const graph::Nest& reader, std::size_t operand, const graph::Tensor& input,
                         const std::vector<Lay>& lays) {
    std::vector<Lay> found;
    for (std::size_t d = 0; d < input.dimensions.size(); ++d) {
        const int loop = reader.inputs[operand].loops[d];
        for (const Lay& lay : lays) {
            if (loop != graph::kNoLoop && reader.loop(lay.dimension) == loop) {
                found.push_back({input.dimensions[d].name, lay.axes, {}});
            }
        }
    }
    return found;
}

/// The lays of all layers, then those of network inputs, which have no choice.
std::vector<LayerLays> lays_of_layers(const graph::Graph& graph, const std::vector<ChoosingLayer>& layers,
                                      const std::vector<int>& choices) {
    std::vector<LayerLays> all;
    std::vector<LayerLays> inputs;
    std::set<Vertex> known;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        all.push_back({.kind = graph.layer(layers[i].copies.front()).kind,
                       .pattern = layers[i].pattern,
                       .lays = layers[i].lays[static_cast<std::size_t>(choices[i])]});
        const Vertex reader = layers[i].copies.front();
        const std::vector<Vertex>& producers = graph.layer(reader).producers;
        for (std::size_t operand = 0; operand < producers.size(); ++operand) {
            const graph::Layer& input = graph.layer(producers[operand]);
            if (!input.nest.inputs.empty() || !known.insert(producers[operand]).second) {
                continue;
            }
            std::vector<Lay> lays = as_read(graph.layer(reader).nest, operand, input.nest.result, all.back().lays);
            if (!lays.empty()) {
                inputs.push_back({.kind = input.kind, .pattern = input.name, .lays = std::move(lays)});
            }
        }
    }
    all.insert(all.end(), inputs.begin(), inputs.end());
    return all;
}

/// For each operator the lays that most of its layers have; none for operators with layers that follow their inputs,
/// and for network inputs, which rules match by name.
std::map<std::string, Laid> usual(const std::vector<LayerLays>& all) {
    std::map<std::string, std::map<Laid, int>> counts;
    std::set<std::string> follows;
    for (const LayerLays& layer : all) {
        ++counts[layer.kind][plain(layer.lays)];
        if (!layer.has_rule) {
            follows.insert(layer.kind);
        }
    }
    std::map<std::string, Laid> found;
    for (const auto& [kind, lays] : counts) {
        const auto most = std::max_element(lays.begin(), lays.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        if (!follows.contains(kind) && graph::find_operator(kind) != nullptr) {
            found.emplace(kind, most->first);
        }
    }
    return found;
}

/// Rules by name come before rules by operator, each in the order of the layers.
std::vector<Rule> rules_of(const std::vector<LayerLays>& all) {
    const std::map<std::string, Laid> usual_of = usual(all);
    std::vector<Rule> named;
    std::vector<Rule> kinds;
    const auto rule_for = [](std::vector<Rule>& rules, const std::vector<Lay>& lays) -> Rule& {
        const auto found =
            std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return plain(rule.lay) == plain(lays); });
        if (found != rules.end()) {
            return *found;
        }
        rules.emplace_back();
        rules.back().lay = lays;
        return rules.back();
    };
    for (const LayerLays& layer : all) {
        if (!layer.has_rule) {
            continue;
        }
        const auto most = usual_of.find(layer.kind);
        if (most == usual_of.end() || most->second != plain(layer.lays)) {
            rule_for(named, layer.lays).match.names.push_back(layer.pattern);
            continue;
        }
        std::vector<std::string>& operators = rule_for(kinds, layer.lays).match.kinds;
        if (std::find(operators.begin(), operators.end(), layer.kind) == operators.end()) {
            operators.push_back(layer.kind);
        }
    }
    named.insert(named.end(), kinds.begin(), kinds.end());
    return named;
}

plan::Strategy with_rules(const graph::Graph& graph, const Setting& setting, const std::vector<LayerLays>& all) {
    plan::Strategy strategy = setting.base.strategy;
    strategy.name = kByLayers;
    strategy.by_layers = true;
    strategy.summary = "each layer as is best for the whole";
    strategy.source = fmt::format("made by dodona plan for {}", graph.name);
    strategy.rules = rules_of(all);
    return strategy;
}

/// For each rule the dimensions that it lays on this axis.
std::vector<std::vector<std::string>> roles_of(const plan::Strategy& strategy, const std::string& axis) {
    std::vector<std::vector<std::string>> roles;
    for (const Rule& rule : strategy.rules) {
        std::vector<std::string>& dimensions = roles.emplace_back();
        for (const Lay& lay : rule.lay) {
            if (std::find(lay.axes.begin(), lay.axes.end(), axis) != lay.axes.end()) {
                dimensions.push_back(lay.dimension);
            }
        }
    }
    return roles;
}

}  // namespace

plan::Strategy strategy_of(const graph::Graph& graph, const Setting& setting, const std::vector<ChoosingLayer>& layers,
                           const std::vector<int>& choices) {
    return with_rules(graph, setting, lays_of_layers(graph, layers, choices));
}

plan::Strategy terse_strategy_of(const graph::Graph& graph, const Setting& setting,
                                 const std::vector<ChoosingLayer>& layers, const std::vector<int>& choices) {
    std::vector<LayerLays> all = lays_of_layers(graph, layers, choices);
    const plan::Mesh mesh(setting.base, {});
    const auto sharded = [&] { return plan::shard(graph, mesh, with_rules(graph, setting, all), 1); };
    const plan::ShardedGraph wanted = sharded();
    for (std::size_t i = 0; i < layers.size(); ++i) {
        all[i].has_rule = !graph.layer(layers[i].copies.front()).nest.follows;
    }
    // A missing rule changes what later layers follow: rules are added back until all shardings are as wanted.
    for (bool alike = false; !alike;) {
        alike = true;
        const plan::ShardedGraph now = sharded();
        for (std::size_t i = 0; i < layers.size() && alike; ++i) {
            const bool same = std::all_of(layers[i].copies.begin(), layers[i].copies.end(),
                                          [&](Vertex v) { return now.layers[v].loops == wanted.layers[v].loops; });
            if (!same && !all[i].has_rule) {
                all[i].has_rule = true;
                alike = false;
            }
        }
    }
    return with_rules(graph, setting, all);
}

void join_axes(plan::Plan& plan) {
    std::vector<plan::MeshAxis> mesh;
    std::map<std::string, std::string> renamed;
    for (const plan::MeshAxis& axis : plan.mesh) {
        const bool stages = plan.strategy.pipeline == axis.name;
        const bool joins = !mesh.empty() && !stages && plan.strategy.pipeline != mesh.back().name &&
                           roles_of(plan.strategy, axis.name) == roles_of(plan.strategy, mesh.back().name);
        if (joins) {
            renamed[axis.name] = mesh.back().name;
            mesh.back().size *= axis.size;
        } else {
            mesh.push_back(axis);
        }
    }
    if (renamed.empty()) {
        return;
    }
    plan.mesh = mesh;
    const auto leaves = [&](const std::string& axis) { return renamed.contains(axis); };
    std::erase_if(plan.strategy.axes, leaves);
    std::erase_if(plan.strategy.shard_axes, leaves);
    for (Rule& rule : plan.strategy.rules) {
        for (Lay& lay : rule.lay) {
            std::erase_if(lay.axes, leaves);
        }
    }
}

}  // namespace dodona::search
