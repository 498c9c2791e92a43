#include "search/network_choices.hpp"

#include <algorithm>
#include <set>

#include "base/ranges.hpp"
#include "plan/operands.hpp"
#include "step/segment_memory.hpp"

namespace dodona::search {

using graph::Layer;
using graph::Vertex;
using plan::RecomputeKind;
using plan::Sharding;

namespace {

/// The parts of a costed graph that the times of collectives depend on.
step::CostedGraph job_of(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan) {
    return {.graph = &graph,
            .cluster = &cluster,
            .mesh = plan::Mesh(plan, {}),
            .sharded = {},
            .segments = {},
            .precision = plan.precision,
            .software = step::SoftwareFactors(plan.framework),
            .token_network = false,
            .counts = {},
            .whole_executed = {},
            .devices = {},
            .placement = {},
            .variants = {}};
}

}  // namespace

NetworkChoices::NetworkChoices(const graph::Graph& graph, const cluster::Cluster& cluster, const Setting& setting)
    : graph_(graph),
      cluster_(cluster),
      setting_(setting),
      costs_(graph, cluster, setting),
      weights_(step_weights(setting, setting.base.devices())),
      job_(job_of(graph, cluster, setting.base)) {
    find_layers();
    numbers_.resize(static_cast<std::size_t>(choices_.tensors));
    roles_.resize(numbers_.size());
    conversions_.resize(numbers_.size());
    for (std::size_t variable = 0; variable < layers_.size(); ++variable) {
        add_choices(variable);
    }
    choices_.closing = [this](int tensor, const std::vector<int>& uses) { return close(tensor, uses); };
}

void NetworkChoices::find_layers() {
    std::map<std::string, std::size_t> known;
    choices_.tensors = static_cast<int>(graph_.layers.size());
    for (Vertex v = 0; v < graph_.layers.size(); ++v) {
        const Layer& layer = graph_.layer(v);
        for (const graph::Weight& weight : layer.nest.weights) {
            if (!weight.tied_to.empty() && tied_.try_emplace(weight.tied_to, choices_.tensors).second) {
                ++choices_.tensors;
            }
        }
        if (layer.nest.inputs.empty()) {
            continue;  // a network input is read in the sharding that its reader wants
        }
        const std::string pattern = pattern_of(layer.name);
        const auto [found, is_new] = known.try_emplace(pattern, layers_.size());
        if (is_new) {
            layers_.push_back({.pattern = pattern, .copies = {}, .lays = {}});
        }
        layers_[found->second].copies.push_back(v);
    }
}

void NetworkChoices::add_choices(std::size_t variable) {
    ChoosingLayer& layer = layers_[variable];
    std::vector<Choice>& all = choices_.variables.emplace_back();
    for (std::vector<plan::Lay>& lays : lays_of(graph_.layer(layer.copies.front()), setting_)) {
        Choice choice;
        bool possible = true;
        for (const Vertex v : layer.copies) {
            const std::optional<LayerCost> cost = costs_.of(v, lays);
            if (!cost) {
                possible = false;
                break;
            }
            choice.costs += cost->costs;
            choice.peak = max(choice.peak, cost->peak);
            const std::vector<TensorUse> uses = uses_of(v, *cost);
            choice.uses.insert(choice.uses.end(), uses.begin(), uses.end());
        }
        if (possible) {
            all.push_back(std::move(choice));
            layer.lays.push_back(std::move(lays));
        }
    }
}

std::vector<TensorUse> NetworkChoices::uses_of(Vertex v, const LayerCost& cost) {
    std::vector<TensorUse> uses;
    const Layer& layer = graph_.layer(v);
    const auto add = [&](int tensor, const TensorRole& role) { uses.push_back({tensor, number(tensor, role)}); };
    add(static_cast<int>(v), {.producer = true,
                              .sharding = number(cost.output),
                              .instances = graph_.instances(v),
                              .kept = cost.output_kept,
                              .repeats = runs_again(v)});
    const std::vector<Vertex>& producers = graph_.layer(v).producers;
    for (std::size_t i = 0; i < producers.size(); ++i) {
        add(static_cast<int>(producers[i]), reading(v, producers[i], cost.readings[i]));
    }
    for (std::size_t w = 0; w < layer.nest.weights.size(); ++w) {
        const std::string& tied_to = layer.nest.weights[w].tied_to;
        const auto owned = tied_.find(tied_to.empty() ? layer.name : tied_to);
        const bool shared =
            owned != tied_.end() && (!tied_to.empty() || any_of(graph_.layers, [&](const graph::Layer& other) {
                const auto& weights = other.nest.weights;
                return std::any_of(weights.begin(), weights.end(), [&](const graph::Weight& weight) {
                    return weight.tied_to == layer.name && weight.elements() == layer.nest.weights[w].elements();
                });
            }));
        if (shared) {
            Sharding laid;
            laid.dimensions = {cost.weights[w].sharded()};
            add(owned->second, {.producer = true, .sharding = number(laid), .kept = {}});
        }
    }
    return uses;
}

bool NetworkChoices::runs_again(Vertex v) const {
    return setting_.base.recompute == RecomputeKind::full && graph_.segments[graph_.layer(v).segment].is_block();
}

NetworkChoices::TensorRole NetworkChoices::reading(Vertex v, Vertex producer, const Reading& reading) {
    const Layer& layer = graph_.layer(v);
    const Layer& source = graph_.layer(producer);
    const bool whole = runs_again(v);
    const bool home = source.segment == layer.segment;
    return {.producer = false,
            .sharding = number(reading.wanted),
            .gradient = source.goes_backward() && !source.nest.inputs.empty() ? number(reading.gradient) : kNoSharding,
            .instances = graph_.instances(v),
            .kept = reading.kept,
            .home = home,
            .checkpoint = whole && (!home || source.nest.inputs.empty()),
            .repeats = whole};
}

int NetworkChoices::number(int tensor, const TensorRole& role) {
    auto& numbers = numbers_[static_cast<std::size_t>(tensor)];
    auto& roles = roles_[static_cast<std::size_t>(tensor)];
    const auto [found, is_new] = numbers.try_emplace(role, static_cast<int>(roles.size()));
    if (is_new) {
        roles.push_back(role);
    }
    return found->second;
}

int NetworkChoices::number(const Sharding& sharding) {
    const auto [found, is_new] = sharding_numbers_.try_emplace(sharding, static_cast<int>(shardings_.size()));
    if (is_new) {
        shardings_.push_back(sharding);
    }
    return found->second;
}

Costs NetworkChoices::close(int tensor, const std::vector<int>& uses) {
    auto roles = mapped<TensorRole>(
        uses, [&](const int use) { return roles_[static_cast<std::size_t>(tensor)][static_cast<std::size_t>(use)]; });
    if (tensor >= static_cast<int>(graph_.layers.size())) {
        return roles.size() > 1 ? kForbidden : Costs{};  // a shared weight has one sharding
    }
    return close_activation(static_cast<Vertex>(tensor), roles);
}

Costs NetworkChoices::close_activation(Vertex v, const std::vector<TensorRole>& roles) {
    const Layer& layer = graph_.layer(v);
    const auto producer = std::find_if(roles.begin(), roles.end(), [](const TensorRole& s) { return s.producer; });
    Seconds moving;
    int left = kNoSharding;
    if (producer != roles.end()) {
        left = producer->sharding;
        Sharding gradient = shardings_[static_cast<std::size_t>(left)];
        gradient.partial = 0;
        const int complete = number(gradient);
        std::set<std::pair<int, std::int64_t>> forward;
        std::set<std::pair<int, std::int64_t>> backward;
        for (const TensorRole& reader : roles) {
            if (reader.producer) {
                continue;
            }
            const auto times = static_cast<double>(reader.instances);
            if (forward.insert({reader.sharding, reader.instances}).second) {
                moving += (reader.repeats ? 2 : 1) * times * conversion(v, left, reader.sharding);
            }
            if (reader.gradient != kNoSharding && backward.insert({reader.gradient, reader.instances}).second) {
                moving += times * conversion(v, reader.gradient, complete);
            }
        }
    } else if (!layer.nest.inputs.empty()) {
        return {};  // not produced in this setting, so not read either
    }
    const Seconds step = weights_.passes * moving;
    return {step, step, weights_.activations * kept(v, left, roles)};
}

Seconds NetworkChoices::conversion(Vertex tensor, int from, int to) {
    const auto [found, is_new] = conversions_[tensor].try_emplace({from, to});
    if (is_new) {
        const graph::Nest& nest = graph_.layer(tensor).nest;
        const auto divisions = plan::result_divisions(nest, static_cast<double>(setting_.samples()));
        for (const plan::Transfer& transfer :
             plan::convert(job_.mesh, divisions, shardings_[static_cast<std::size_t>(from)],
                           shardings_[static_cast<std::size_t>(to)])) {
            const Bytes size = step::size_of(job_, transfer, nest.result.element);
            found->second += step::time_of(job_, transfer, size, setting_.base.algorithm).time.value;
        }
    }
    return found->second;
}

/// A tensor is kept once per sharding in its producer's segment, and by every other segment that reads it.
Bytes NetworkChoices::kept(Vertex v, int left, const std::vector<TensorRole>& roles) const {
    std::map<int, Bytes> home;
    std::map<std::pair<int, std::int64_t>, Bytes> elsewhere;
    std::set<std::int64_t> checkpoints;
    for (const TensorRole& role : roles) {
        if (role.kept > Bytes{}) {
            const Bytes all = role.repeats ? Bytes{} : static_cast<double>(role.instances) * role.kept;
            Bytes& known =
                role.producer || role.home ? home[role.sharding] : elsewhere[{role.sharding, role.instances}];
            known = max(known, all);
        }
        if (role.checkpoint) {
            checkpoints.insert(role.instances);
        }
    }
    Bytes sum;
    for (const auto& [sharding, bytes] : home) {
        sum += bytes;
    }
    for (const auto& [key, bytes] : elsewhere) {
        sum += home.contains(key.first) ? Bytes{} : bytes;
    }
    if (checkpoints.empty()) {
        return sum;
    }
    const graph::Nest& nest = graph_.layer(v).nest;
    const auto divisions = plan::result_divisions(nest, static_cast<double>(setting_.samples()));
    // Samples that no rule lays are read whole.
    Sharding boundary = left == kNoSharding ? Sharding{} : shardings_[static_cast<std::size_t>(left)];
    boundary.dimensions.resize(divisions.size());
    for (const std::int64_t instances : checkpoints) {
        sum += static_cast<double>(instances) * plan::local_elements(job_.mesh, divisions, boundary) *
               step::element_bytes(nest.result.element, setting_.base.precision);
    }
    return sum;
}

}  // namespace dodona::search
