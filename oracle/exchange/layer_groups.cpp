#include "exchange/layer_groups.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::exchange {

namespace {

/// Features in and out of a layer whose weight is a matrix of them.
std::optional<DenseLayer> dense_layer(const graph::Nest& nest) {
    const int in = nest.loop("in_feature");
    const int out = nest.loop("out_feature");
    if (in == graph::kNoLoop || out == graph::kNoLoop) {
        return std::nullopt;
    }
    return DenseLayer{static_cast<double>(nest.loops[static_cast<std::size_t>(in)].extent),
                      static_cast<double>(nest.loops[static_cast<std::size_t>(out)].extent)};
}

}  // namespace

std::vector<LayerGroups> layer_groups(const graph::Graph& graph, std::int64_t nodes, std::int64_t batch) {
    std::vector<LayerGroups> rows;
    for (graph::Vertex vertex = 0; vertex < graph.layers.size(); ++vertex) {
        const graph::Layer& layer = graph.layer(vertex);
        if (!layer.trains()) {
            continue;
        }
        LayerGroups row{.layer = layer.name, .instances = graph.instances(vertex)};
        double product = 0;  // parameters that are multiplied: all but a bias
        for (const graph::Weight& weight : layer.nest.weights) {
            row.parameters += weight.elements();
            product = std::max(product, weight.elements());
        }
        const double flops = layer.nest.work(layer.nest.whole()).model_forward.in(unit::flop);
        const double positions = flops / (2 * product);
        row.ratio = data_parallel_ratio(static_cast<double>(batch) / static_cast<double>(nodes), positions, 0);
        row.data_volume = Bytes::of_base(2 * 4 * row.parameters);
        row.best_volume = row.data_volume;
        if (const auto dense = dense_layer(layer.nest)) {
            const auto samples = std::llround(static_cast<double>(batch) * positions);
            row.groups = best_groups(*dense, nodes, samples);
            row.best_volume = group_volume(*dense, nodes, samples, *row.groups);
        }
        rows.push_back(row);
    }
    return rows;
}

}  // namespace dodona::exchange
