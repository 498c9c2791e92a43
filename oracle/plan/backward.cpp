#include "plan/backward.hpp"

#include <set>

#include "plan/operands.hpp"

namespace dodona::plan {

using graph::Vertex;

namespace {

/// Gradients in one sharding that are computed equally often.
struct Contribution {
    Sharding sharding;  ///< including the atoms over which they are partial sums
    std::int64_t instances = 1;
    std::strong_ordering operator<=>(const Contribution&) const = default;
};

Sharding complete(Sharding sharding) {
    sharding.partial = 0;
    return sharding;
}

}  // namespace

void add_gradient_conversions(const graph::Graph& graph, const Mesh& mesh,
                              const std::vector<std::vector<Division>>& divisions, ShardedGraph& sharded) {
    std::vector<std::set<Contribution>> seen(sharded.layers.size());
    for (Vertex v = 0; v < graph.layers.size(); ++v) {
        const graph::Layer& layer = graph.layer(v);
        const std::vector<Vertex>& producers = graph.layer(v).producers;
        ShardedLayer& consumer = sharded.layers[v];
        const auto convert_gradient = [&](Vertex tensor, const Sharding& from, const Sharding& to) {
            for (const Transfer& transfer : convert(mesh, divisions[tensor], from, complete(to))) {
                const graph::Element element = graph.layer(tensor).nest.result.element;
                consumer.transfers.push_back({transfer, Phase::backward, Purpose::conversion, element});
                if (tensor != v) {
                    send_round(mesh, consumer.streams, consumer.transfers.back());
                }
            }
        };
        // The reverse of a conversion that a rule forces on this layer's own output.
        if (layer.goes_backward()) {
            convert_gradient(v, complete(consumer.output), consumer.product);
        }
        for (std::size_t i = 0; i < producers.size(); ++i) {
            const Vertex producer = producers[i];
            const graph::Layer& source = graph.layer(producer);
            const bool needed = source.goes_backward();
            if (!needed || source.nest.inputs.empty()) {
                continue;
            }
            Contribution contribution{operand_sharding(layer.nest.inputs[i], consumer.loops), graph.instances(v)};
            contribution.sharding.partial = partial_input_gradient(layer.nest, i, consumer.loops);
            if (seen[producer].insert(contribution).second) {
                convert_gradient(producer, contribution.sharding, sharded.layers[producer].output);
            }
        }
    }
}

}  // namespace dodona::plan
