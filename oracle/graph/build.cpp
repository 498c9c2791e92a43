#include "graph/expansion.hpp"

namespace dodona::graph {

Graph build(const NetworkSpec& spec) { return Expansion(spec).run(); }

Counts count(const Graph& graph) {
    Counts counts;
    for (const Vertex vertex : graph.order) {
        const Layer& layer = graph.layer(vertex);
        if (layer.kind == "input") {
            continue;
        }
        const auto instances = graph.instances(vertex);
        counts.distinct_layers += 1;
        counts.layers += instances;
        for (const Weight& weight : layer.nest.weights) {
            if (weight.tied_to.empty()) {
                counts.parameters += weight.elements() * static_cast<double>(instances);
            }
        }
        counts.forward_per_sample += static_cast<double>(instances) * layer.nest.work(layer.nest.whole()).model_forward;
    }
    return counts;
}

}  // namespace dodona::graph
