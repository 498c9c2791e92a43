// Weights shared by several layers; `tied: LAYER` names the owner of a matrix, entries with one `weights: NAME` share all of
// those of the first. The layers of a further pass over the network share those of the layers that they are copies of.
#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"
#include "graph/expansion.hpp"
#include "graph/operators/adapters.hpp"

namespace dodona::graph {

void Expansion::tie_weights() {
    for (Vertex vertex = 0; vertex < graph_.layers.size(); ++vertex) {
        Layer& layer = graph_.layers[vertex];
        for (Weight& weight : layer.nest.weights) {
            if (!weight.tied_to.empty()) {
                tie(layer, weight);
            }
        }
    }
}

/// Looks the owner up among the layer's siblings, then in the enclosing lists.
void Expansion::tie(Layer& layer, Weight& weight) {
    std::string prefix = layer.name;
    auto found = by_path_.end();
    while (found == by_path_.end() && !prefix.empty()) {
        const auto slash = prefix.find_last_of('/', prefix.size() - 2);
        prefix = slash == std::string::npos ? std::string{} : prefix.substr(0, slash + 1);
        found = by_path_.find(prefix + weight.tied_to);
    }
    if (found == by_path_.end()) {
        std::vector<std::string> known;
        for (const auto& [path, vertex] : by_path_) {
            known.push_back(path);
        }
        diagnostics_.error(layer.where, fmt::format("{}.tied: no layer is named \"{}\"{}", layer.name, weight.tied_to,
                                                    did_you_mean(weight.tied_to, known)));
        return;
    }
    const auto& candidates = graph_.layer(found->second).nest.weights;
    const bool fits = std::any_of(candidates.begin(), candidates.end(), [&](const Weight& other) {
        return &other != &weight && other.tied_to.empty() && other.elements() == weight.elements();
    });
    if (!fits) {
        diagnostics_.error(layer.where, fmt::format("{}.tied: {} has no weight of its own with {} elements", layer.name,
                                                    found->first, weight.elements()));
        return;
    }
    const Layer& owner = graph_.layer(found->second);
    if (owner.frozen != layer.frozen) {
        diagnostics_.error(layer.where,
                           fmt::format("{}.tied: {} is {}, this layer is not", layer.name, owner.name,
                                       owner.frozen ? "frozen" : "trained"),
                           "a shared weight is frozen in both layers or in neither");
        return;
    }
    weight.tied_to = found->first;
}

std::optional<std::string> Expansion::owner_of(const Entry& entry, const Place& place, const std::string& number) {
    const std::string called = entry.name + number;
    if (place.weights_of) {
        return *place.weights_of + called;
    }
    if (!entry.weights_of.starts_with('/')) {
        return entry.weights_of.empty() ? std::nullopt : std::optional(entry.weights_of + number);
    }
    const std::string shared = entry.weights_of + (entry.op.empty() ? "" : "/" + entry.name);
    const auto [first, is_first] = first_of_.emplace(shared, place.prefix + called);
    return is_first ? std::nullopt : std::optional(first->second);
}

/// Of an owner with an adapter the weights are its base's; where an owner's weight is tied, those of its owner are meant.
void Expansion::share_weights() {
    for (const Reading& reading : readings_) {
        std::vector<Weight>& weights = graph_.layers[reading.reader].nest.weights;
        if (weights.empty()) {
            continue;
        }
        auto found = by_path_.find(reading.owner);
        if (found == by_path_.end() || graph_.layer(found->second).nest.weights.empty()) {
            found = by_path_.find(base_name(reading.owner));
        }
        const Layer& reader = graph_.layers[reading.reader];
        const std::vector<Weight> none;
        const std::vector<Weight>& owned = found == by_path_.end() ? none : graph_.layer(found->second).nest.weights;
        if (!std::equal(owned.begin(), owned.end(), weights.begin(), weights.end(),
                        [](const Weight& a, const Weight& b) { return a.elements() == b.elements(); })) {
            diagnostics_.error(reader.where,
                               fmt::format("{}.weights: {} has other weights", reader.name, reading.owner),
                               "entries that share weights have layers of equal names and sizes");
            continue;
        }
        const Layer& owner = graph_.layer(found->second);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const std::string& tied = owner.nest.weights[i].tied_to;
            weights[i].tied_to = tied.empty() ? owner.name : tied;
        }
        graph_.layers[reading.reader].storage = owner.storage;
    }
}

}  // namespace dodona::graph
