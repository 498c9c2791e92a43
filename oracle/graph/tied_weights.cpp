// Weights shared by several layers; `tied: LAYER` names the owner.
#include <algorithm>

#include <fmt/format.h>

#include "graph/expansion.hpp"

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

}  // namespace dodona::graph
