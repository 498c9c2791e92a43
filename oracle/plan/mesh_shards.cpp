#include "plan/mesh_shards.hpp"

#include <algorithm>

#include "plan/operands.hpp"
#include "plan/rules.hpp"

namespace dodona::plan {

namespace {

using graph::Graph;
using graph::Layer;
using graph::Nest;
using graph::Vertex;

/// Whether a tensor's dimension of samples is split over `batch` at most.
bool splits_samples_evenly(const Nest& nest, const AtomList& dimensions, Atoms batch) {
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        if (nest.output.loops[d] == graph::kBatch && (dimensions[d] & ~batch) != 0) {
            return false;
        }
    }
    return true;
}

/// Whether no share of samples is rounded.
bool shares_are_whole(const Graph& graph, const ShardedGraph& sharded, Atoms batch) {
    for (Vertex v = 0; v < graph.layers.size(); ++v) {
        const Layer& layer = graph.layer(v);
        const ShardedLayer& here = sharded.layers[v];
        bool whole = (here.loops[graph::kBatch] & ~batch) == 0 &&
                     splits_samples_evenly(layer.nest, here.product.dimensions, batch) &&
                     splits_samples_evenly(layer.nest, here.output.dimensions, batch);
        for (std::size_t i = 0; i < layer.producers.size(); ++i) {
            const Nest& producer = graph.layer(layer.producers[i]).nest;
            const Sharding wanted = operand_sharding(layer.nest.inputs[i], here.loops);
            whole = whole && splits_samples_evenly(producer, wanted.dimensions, batch);
        }
        if (!whole) {
            return false;
        }
    }
    return true;
}

bool same_transfer(const LayerTransfer& a, const LayerTransfer& b) {
    return a.transfer.collective == b.transfer.collective && a.transfer.atoms == b.transfer.atoms &&
           a.phase == b.phase && a.purpose == b.purpose && a.times == b.times;
}

bool same_tensor(const SavedTensor& a, const SavedTensor& b) {
    return a.tensor == b.tensor && a.slot == b.slot && a.sharding == b.sharding;
}

/// Whether two derivations differ in numbers of elements only.
bool are_laid_alike(const ShardedGraph& a, const ShardedGraph& b) {
    return std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(),
                      [](const ShardedLayer& x, const ShardedLayer& y) {
                          return x.loops == y.loops && x.output == y.output &&
                                 std::equal(x.transfers.begin(), x.transfers.end(), y.transfers.begin(),
                                            y.transfers.end(), same_transfer) &&
                                 std::equal(x.saved.begin(), x.saved.end(), y.saved.begin(), y.saved.end(),
                                            same_tensor);
                      });
}

/// Writes the numbers of elements of another micro-batch. Samples touch as many rows of a table each, up to all.
void write_between(const ShardedGraph& first, const ShardedGraph& last, std::int64_t microbatch,
                   ShardedGraph& sharded) {
    const auto more = static_cast<double>(microbatch - first.microbatch);
    const double share = more / static_cast<double>(last.microbatch - first.microbatch);
    const double ratio = static_cast<double>(microbatch) / static_cast<double>(first.microbatch);
    sharded.microbatch = microbatch;
    const auto between = [share](double from, double to) { return from + share * (to - from); };
    for (std::size_t v = 0; v < sharded.layers.size(); ++v) {
        const ShardedLayer& a = first.layers[v];
        const ShardedLayer& b = last.layers[v];
        ShardedLayer& layer = sharded.layers[v];
        layer.local.loops[graph::kBatch] = between(a.local.loops[graph::kBatch], b.local.loops[graph::kBatch]);
        layer.output_elements = between(a.output_elements, b.output_elements);
        layer.transient_elements = between(a.transient_elements, b.transient_elements);
        for (std::size_t i = 0; i < layer.transfers.size(); ++i) {
            layer.transfers[i].transfer.elements =
                between(a.transfers[i].transfer.elements, b.transfers[i].transfer.elements);
        }
        for (std::size_t i = 0; i < layer.weights.size(); ++i) {
            const WeightShard& weight = a.weights[i];
            layer.weights[i].touched = std::min(weight.elements, ratio * weight.touched);
        }
        for (std::size_t i = 0; i < layer.saved.size(); ++i) {
            layer.saved[i].elements = between(a.saved[i].elements, b.saved[i].elements);
        }
    }
}

}  // namespace

SharedShards MeshShards::derived(const Strategy& strategy, std::int64_t microbatch) const {
    return std::make_shared<const ShardedGraph>(shard(graph_, mesh_, strategy, microbatch));
}

bool MeshShards::are_linear(const Strategy& strategy) {
    if (!linear_) {
        last_ = derived(strategy, first_->microbatch + kApart);
        linear_ = are_laid_alike(*first_, *last_) &&
                  shares_are_whole(graph_, *first_, RuleBook(strategy, mesh_).batch_atoms());
    }
    return *linear_;
}

SharedShards MeshShards::of(const Strategy& strategy, std::int64_t microbatch) {
    if (!first_) {
        first_ = derived(strategy, microbatch);
    }
    const std::int64_t more = microbatch - first_->microbatch;
    if (more == 0) {
        return first_;
    }
    if (more < 0 || more > kApart || !are_linear(strategy)) {
        return derived(strategy, microbatch);
    }
    if (between_.use_count() != 1) {
        between_ = std::make_shared<ShardedGraph>(*first_);
    }
    write_between(*first_, *last_, microbatch, *between_);
    return between_;
}

}  // namespace dodona::plan
