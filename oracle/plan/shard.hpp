// The derivation: a graph, a mesh and a strategy give every layer's shard, every collective, every saved tensor.
//
// One rule makes communication: the result of a product is a partial sum over an axis exactly when a dimension laid on
// that axis is in its inputs and not in its result. Y, dX and dW are such products. What a consumer wants to read and
// what a producer leaves differ by a conversion (sharding.hpp); its mirror image runs on the gradient.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.hpp"
#include "plan/limit.hpp"
#include "plan/mesh.hpp"
#include "plan/rules.hpp"
#include "plan/sharding.hpp"

namespace dodona::plan {

enum class Phase { forward, backward };

/// Why a transfer is there.
enum class Purpose { conversion, regather, statistic, halo, stream };

struct LayerTransfer {
    Transfer transfer;
    Phase phase = Phase::forward;
    Purpose purpose = Purpose::conversion;
    graph::Element element = graph::Element::activation;
    graph::Vertex tensor = 0;  ///< whose output (or its gradient) moves
    double times = 1;          ///< so many, one after the other (the steps of a recurrence)
};

/// One weight on one device.
struct WeightShard {
    double elements = 0;        ///< held locally, before any sharding of states
    double rows = 0;            ///< of these: see WeightSize
    double factors = 0;         ///< of these: see WeightSize
    double touched = 0;         ///< of these, by one micro-batch; 0: all (the gradient is dense)
    bool frozen = false;        ///< has no gradient and no optimizer state
    Atoms laid = 0;             ///< atoms in its sharding
    Atoms partial = 0;          ///< atoms over which its gradient is a partial sum
    std::int64_t replicas = 1;  ///< ranks within its laid axes that hold the same granules and sum their gradient
    bool tied = false;          ///< the same weight as another layer's: counted once where both are on one stage
    graph::Vertex owner = 0;    ///< the layer that it is tied to (itself if not tied)
};

/// One tensor kept for backward. The same tensor in the same sharding is kept once, whoever asked for it.
struct SavedTensor {
    graph::Vertex tensor = 0;  ///< whose output, or for an internal tensor the layer itself
    int slot = 0;              ///< 0: the output; > 0: internal tensors
    Sharding sharding;         ///< of an output
    double elements = 0;
    graph::Element element = graph::Element::activation;
    bool selective = false;
    bool for_weights = false;  ///< read by dW alone
    bool logits = false;       ///< one element a logit of a loss
};

struct ShardedLayer {
    std::vector<Atoms> loops;
    graph::LocalExtents local;
    Atoms streams = 0;           ///< inputs gathered over these go round a ring (Rule::stream)
    Atoms passed = 0;            ///< atoms over which partial sums pass this linear operator unreduced
    Sharding product;            ///< as the operator leaves its output
    Sharding output;             ///< after a conversion that the rule forces
    double output_elements = 0;  ///< local
    graph::Work work;
    std::vector<graph::Kernel> selective_work;
    std::vector<LayerTransfer> transfers;  ///< per micro-batch
    std::vector<WeightShard> weights;
    std::vector<SavedTensor> saved;
    double transient_elements = 0;  ///< local inputs and output alive at once, for the workspace
};

struct ShardedGraph {
    const graph::Graph* graph = nullptr;
    std::vector<ShardedLayer> layers;  ///< by vertex
    std::int64_t data_ways = 1;        ///< ranks that hold different samples
    std::int64_t microbatch = 1;       ///< samples per data rank
    std::vector<Limit> limits;         ///< sorted by text, each once
};

/// `microbatch`: samples per data rank and pass.
ShardedGraph shard(const graph::Graph& graph, const Mesh& mesh, const Strategy& strategy, std::int64_t microbatch);

}  // namespace dodona::plan
