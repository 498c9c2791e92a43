#include "search/layer_rules.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "graph/operators.hpp"
#include "plan/operands.hpp"
#include "plan/shard.hpp"
#include "search/answer.hpp"
#include "step/validate.hpp"

namespace dodona::search {

using graph::Vertex;
using plan::Lay;
using plan::Rule;

namespace {

/// A lay without places, to compare and to order.
using Laid = std::vector<std::pair<std::string, std::vector<std::string>>>;

Laid plain(const std::vector<Lay>& lays) {
    Laid laid;
    for (const Lay& lay : lays) {
        laid.emplace_back(lay.dimension, lay.axes);
    }
    return laid;
}

/// What one layer does, where a rule has to say so.
struct Doing {
    std::string kind;
    std::string pattern;
    std::vector<Lay> lays;
    bool said = true;  ///< false: it follows its inputs
};

/// Samples as their first reader wants them: its lays, by the dimensions of the input that its loops index.
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

/// What the layers do; inputs, which have no choice, last.
std::vector<Doing> doings(const graph::Graph& graph, const std::vector<ChoosingLayer>& layers,
                          const std::vector<int>& choices) {
    std::vector<Doing> all;
    std::vector<Doing> inputs;
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

/// For each kind what a rule may say of all of it: what most of its layers do, if none of them is left to follow.
/// Inputs are no operators and have names only.
std::map<std::string, Laid> usual(const std::vector<Doing>& all) {
    std::map<std::string, std::map<Laid, int>> counts;
    std::set<std::string> follows;
    for (const Doing& doing : all) {
        ++counts[doing.kind][plain(doing.lays)];
        if (!doing.said) {
            follows.insert(doing.kind);
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

/// Names before kinds; in the order of the layers.
std::vector<Rule> rules_of(const std::vector<Doing>& all) {
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
    for (const Doing& doing : all) {
        if (!doing.said) {
            continue;
        }
        const auto most = usual_of.find(doing.kind);
        if (most == usual_of.end() || most->second != plain(doing.lays)) {
            rule_for(named, doing.lays).match.names.push_back(doing.pattern);
            continue;
        }
        std::vector<std::string>& words = rule_for(kinds, doing.lays).match.kinds;
        if (std::find(words.begin(), words.end(), doing.kind) == words.end()) {
            words.push_back(doing.kind);
        }
    }
    named.insert(named.end(), kinds.begin(), kinds.end());
    return named;
}

plan::Strategy with_rules(const graph::Graph& graph, const Setting& setting, const std::vector<Doing>& all) {
    plan::Strategy strategy = setting.base.strategy;
    strategy.name = kByLayers;
    strategy.summary = "each layer as is best for the whole";
    strategy.source = fmt::format("made by dodona plan for {}", graph.name);
    strategy.rules = rules_of(all);
    return strategy;
}

/// Axes by the dimensions of each rule that they lie on.
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
    return with_rules(graph, setting, doings(graph, layers, choices));
}

plan::Strategy terse_strategy_of(const graph::Graph& graph, const Setting& setting,
                                 const std::vector<ChoosingLayer>& layers, const std::vector<int>& choices) {
    std::vector<Doing> all = doings(graph, layers, choices);
    const plan::Mesh mesh(setting.base, {});
    plan::Plan plan = setting.base;
    plan.strategy = with_rules(graph, setting, all);
    const std::int64_t microbatch = setting.samples() / step::data_ranks(plan);
    const plan::ShardedGraph wanted = plan::shard(graph, mesh, plan.strategy, microbatch);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        all[i].said = !graph.layer(layers[i].copies.front()).nest.follows;
    }
    // A rule that is missing changes what later layers follow: rules return until all is as it was.
    for (bool alike = false; !alike;) {
        alike = true;
        const plan::ShardedGraph now = plan::shard(graph, mesh, with_rules(graph, setting, all), microbatch);
        for (std::size_t i = 0; i < layers.size() && alike; ++i) {
            const bool same = std::all_of(layers[i].copies.begin(), layers[i].copies.end(),
                                          [&](Vertex v) { return now.layers[v].loops == wanted.layers[v].loops; });
            if (!same && !all[i].said) {
                all[i].said = true;
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
