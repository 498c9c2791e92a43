// Derives the shards, collectives and saved tensors of every layer from graph, mesh and strategy.
//
// All communication follows from one rule: the result of a product is a partial sum over an axis exactly if a dimension
// laid on that axis is in its inputs and not in its result. Y, dX and dW are such products. If a consumer reads a
// tensor in another sharding than the producer's, it is converted (sharding.hpp); the reverse conversion runs on the
// gradient.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/graph.hpp"
#include "plan/limit.hpp"
#include "plan/mesh.hpp"
#include "plan/optimizer.hpp"
#include "plan/rules.hpp"
#include "plan/sharding.hpp"

namespace dodona::plan {

enum class Phase { forward, backward };

/// The reason for a transfer.
enum class Purpose { conversion, regather, statistic, halo, stream };

struct LayerTransfer {
    Transfer transfer;
    Phase phase = Phase::forward;
    Purpose purpose = Purpose::conversion;
    graph::Element element = graph::Element::activation;
    double times = 1;  ///< consecutive transfers (the steps of a recurrence)
};

/// Matrices inside the network, of one shape, on one device before ZeRO.
struct Matrices {
    MatrixShape shape;  ///< of a whole one
    MatrixShape local;  ///< of the part here
    Atoms split = 0;    ///< atoms over which rows or columns are split
    double count = 0;

    [[nodiscard]] bool same_shape(const Matrices& other) const {
        return shape == other.shape && local == other.local && split == other.split;
    }
};

/// One weight on one device.
struct WeightShard {
    double elements = 0;        ///< local, before ZeRO
    double rows = 0;            ///< see WeightSize
    double factors = 0;         ///< see WeightSize
    double touched = 0;         ///< touched by one micro-batch; 0: all (the gradient is dense)
    bool frozen = false;        ///< has no gradient and no optimizer state
    bool forward_only = false;  ///< no backward pass reads it
    graph::WeightStorage storage = graph::WeightStorage::full;
    Atoms laid = 0;             ///< atoms in its sharding
    Atoms partial = 0;          ///< atoms over which its gradient is a partial sum
    std::int64_t replicas = 1;  ///< ranks on its axes that hold the same granules and sum their gradient
    bool tied = false;          ///< owned by another layer: counted once if both are on one stage
    graph::Vertex owner = 0;    ///< the layer that owns the weight
    Matrices matrices;          ///< that it consists of; none in embeddings, output heads and vectors

    [[nodiscard]] WeightSize size() const {
        return {elements, rows, factors, touched, matrices.count > 0 ? elements : 0};
    }
};

/// A tensor kept for backward. Each tensor is kept once per sharding, however many layers read it.
struct SavedTensor {
    graph::Vertex tensor = 0;  ///< its producer; of an internal tensor the layer itself
    int slot = 0;              ///< 0: the output; > 0: internal tensors
    Sharding sharding;         ///< of an output
    double elements = 0;
    graph::Element element = graph::Element::activation;
    bool selective = false;
    bool for_weights = false;  ///< read only by dW
    bool logits = false;       ///< of a loss, one element per logit
    bool gated = false;        ///< read by a gated activation
    bool gathered = false;     ///< an output in shards that its reader gathers for either pass
    double repeated = 0;       ///< elements of a copy for each head that shares the tensor; 0: none does
};

struct ShardedLayer {
    AtomList loops;
    graph::LocalExtents local;
    Atoms streams = 0;                     ///< inputs gathered over these atoms go round a ring (Rule::stream)
    Atoms passed = 0;                      ///< atoms over which partial sums pass through unreduced
    Sharding product;                      ///< of the output as the operator computes it
    Sharding output;                       ///< of the output after a conversion that the rule forces
    double output_elements = 0;            ///< local
    std::vector<LayerTransfer> transfers;  ///< per micro-batch
    std::vector<WeightShard> weights;
    std::vector<SavedTensor> saved;
    double transient_elements = 0;  ///< local inputs and output together, for the workspace
};

struct ShardedGraph {
    const graph::Graph* graph = nullptr;
    std::vector<ShardedLayer> layers;  ///< by vertex
    std::int64_t data_ways = 1;        ///< ranks that hold different samples
    std::int64_t microbatch = 1;       ///< samples per data rank
    std::vector<Limit> limits;         ///< sorted by text, each once
};

/// Shards that several graphs of costs use.
using SharedShards = std::shared_ptr<const ShardedGraph>;

/// The kernels of a layer on one device.
graph::Work work_of(const graph::Layer& layer, const graph::LocalExtents& local);

/// `microbatch`: samples per data rank and pass.
ShardedGraph shard(const graph::Graph& graph, const Mesh& mesh, const Strategy& strategy, std::int64_t microbatch);

/// ShardedGraph::limits alone, with one sample per data rank, for a fraction of the time.
std::vector<Limit> limits_of_shards(const graph::Graph& graph, const Mesh& mesh, const Strategy& strategy);

}  // namespace dodona::plan
