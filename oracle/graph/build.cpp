#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "graph/expansion.hpp"

namespace dodona::graph {

namespace {

bool has_matrices(const Layer& layer) {
    return std::any_of(layer.nest.weights.begin(), layer.nest.weights.end(),
                       [](const Weight& weight) { return weight.form != MatrixForm::none; });
}

/// Sets Layer::head. `last`: some path to an output or a loss has no further product with weights.
void mark_heads(Graph& graph) {
    std::vector<bool> last(graph.layers.size());
    for (Vertex v = graph.layers.size(); v-- > 0;) {
        Layer& layer = graph.layers[v];
        last[v] = layer.consumers.empty() ||
                  std::any_of(layer.consumers.begin(), layer.consumers.end(),
                              [&](Vertex reader) { return last[reader] && !has_matrices(graph.layer(reader)); });
        layer.head = last[v] && layer.block.empty() && has_matrices(layer);
    }
}

/// The passes of a step have one segment after the other; the same part of each becomes one, that of the pass that is
/// trained, which is the last.
void join_passes(Graph& graph) {
    const std::size_t passes = graph.post_training.passes + 1;
    const std::size_t own = graph.segments.size() / passes;
    check(graph.segments.size() == passes * own, "all passes have the same parts");
    for (Layer& layer : graph.layers) {
        layer.segment %= own;
    }
    for (std::size_t u = 0; u < own; ++u) {
        std::vector<Vertex> layers;
        for (std::size_t pass = 0; pass < passes; ++pass) {
            const Segment& part = graph.segments[u + pass * own];
            layers.insert(layers.end(), part.layers.begin(), part.layers.end());
        }
        graph.segments[u + (passes - 1) * own].layers = std::move(layers);
    }
    graph.segments.erase(graph.segments.begin(), graph.segments.end() - static_cast<std::ptrdiff_t>(own));
}

}  // namespace

Graph build(const NetworkSpec& spec) {
    Graph graph = Expansion(spec).run();
    join_passes(graph);
    mark_heads(graph);
    return graph;
}

std::int64_t Graph::segment_count() const {
    std::int64_t instances = 0;
    for (std::size_t u = 0; u < segments.size(); ++u) {
        instances += stays_with_previous(u) ? 0 : segments[u].count;
    }
    return instances;
}

bool Graph::stays_with_previous(std::size_t segment) const {
    const Segment& here = segments[segment];
    return segment > 0 && !here.is_block() && std::any_of(here.layers.begin(), here.layers.end(), [&](Vertex v) {
               const Nest& nest = layers[v].nest;
               return nest.weights.empty() && std::any_of(nest.saved.begin(), nest.saved.end(),
                                                          [](const Saved& saved) { return saved.logits; });
           });
}

std::int64_t Graph::block_count() const {
    std::int64_t instances = 0;
    for (const Segment& segment : segments) {
        instances += segment.is_block() ? segment.count : 0;
    }
    return instances;
}

Vertex Graph::add(Layer layer) {
    const Vertex vertex = layers.size();
    for (const Vertex producer : layer.producers) {
        layers.at(producer).consumers.push_back(vertex);
    }
    layers.push_back(std::move(layer));
    return vertex;
}

namespace {

/// Arithmetic of training over that of the forward pass. By convention backward counts twice the forward pass, even
/// where the first layer needs no dX. Frozen weights need no dW, and no backward pass at all if nothing before them is
/// trained.
double passes(const Layer& layer) {
    if (layer.trains()) {
        return 3;
    }
    if (!layer.input_gradient) {
        return 1;
    }
    return layer.nest.weights.empty() ? 3 : 2;
}

}  // namespace

Counts count(const Graph& graph) {
    Counts counts;
    for (Vertex vertex = 0; vertex < graph.layers.size(); ++vertex) {
        const Layer& layer = graph.layer(vertex);
        if (layer.kind == kNetworkInput) {
            continue;
        }
        const auto instances = graph.instances(vertex);
        counts.distinct_layers += 1;
        counts.layers += instances;
        for (const Weight& weight : layer.nest.weights) {
            if (weight.tied_to.empty()) {
                const double elements = weight.elements() * static_cast<double>(instances);
                counts.parameters += elements;
                counts.trained += layer.frozen ? 0 : elements;
            }
        }
        const Flop forward = static_cast<double>(instances) * layer.nest.work(layer.nest.whole()).model_forward;
        counts.forward_per_sample += forward;
        counts.training_per_sample += passes(layer) * forward;
    }
    return counts;
}

}  // namespace dodona::graph
