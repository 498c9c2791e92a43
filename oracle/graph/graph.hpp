// The layer graph: operators connected by tensors.
//
// A block with repeat r becomes a first instance and, if r > 1, a second instance with count r-1 that stands for all
// later ones. The cost of all later computations grows with the number of distinct layers, not with depth, and the
// boundary between two instances is still represented.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/nest.hpp"
#include "graph/spec.hpp"

namespace dodona::graph {

/// The kind of a layer that is an input of the network and no operator.
inline constexpr std::string_view kNetworkInput = "input";

/// Index of a layer in its graph. Producers come before their consumers.
using Vertex = std::size_t;

struct Layer {
    std::string name;   ///< path: "layers/attention"
    std::string kind;   ///< operator name, or kNetworkInput
    std::string role;   ///< label from the model file that strategy rules match
    std::string block;  ///< name of the innermost block, empty at the top
    Location where;
    std::int64_t count = 1;                       ///< instances within one instance of its segment
    std::size_t segment = 0;                      ///< index into Graph::segments
    bool frozen = false;                          ///< its weights are not trained (low-rank adaptation)
    bool forward_only = false;                    ///< of a further pass (PostTraining::passes)
    WeightStorage storage = WeightStorage::full;  ///< of its matrices
    bool input_gradient = false;  ///< whether a layer before it is trained; otherwise dX is not computed
    bool head = false;  ///< outside blocks, and no product follows: its result is the output or goes to a loss
    Nest nest;
    std::size_t nest_number = 0;    ///< layers of one number have equal nests; 0: not known
    std::vector<Vertex> producers;  ///< of its inputs, by operand
    std::vector<Vertex> consumers;  ///< of its output; a layer that reads it twice is listed twice

    [[nodiscard]] bool trains() const { return !frozen && !nest.weights.empty(); }
    /// Vectors (biases, scales of norms) are always kept in full.
    [[nodiscard]] WeightStorage storage_of(const Weight& weight) const {
        return weight.dimensions.size() > 1 ? storage : WeightStorage::full;
    }
    /// Whether a weight consists of matrices inside the network: not of an embedding, an output head or a shared one.
    [[nodiscard]] bool is_hidden(const Weight& weight) const {
        return weight.form != MatrixForm::none && !head && weight.tied_to.empty();
    }
    /// Whether the layer has a backward pass: not if it is frozen and no layer before it is trained.
    [[nodiscard]] bool goes_backward() const { return trains() || input_gradient; }
    /// Whether backward reads this saved tensor; tensors for dW alone are kept only if the layer is trained.
    [[nodiscard]] bool keeps(const Saved& saved) const { return saved.for_weights ? trains() : goes_backward(); }
};

/// A pipeline segment: a top-level layer or one instance of a top-level block, which a pipeline never cuts. Equal
/// consecutive instances are one segment with a count. Where a step has several passes over the network, the same part of
/// each is one segment: a stage holds as much of a policy as of its reference.
struct Segment {
    std::string name;
    std::string block;  ///< block name, empty for a single layer
    std::int64_t count = 1;
    std::vector<Vertex> layers;  ///< in topological order

    [[nodiscard]] bool is_block() const { return !block.empty(); }
};

struct Graph {
    std::string name;
    std::string source;
    std::vector<std::string> left_out;  ///< parts of the network that have no layers here
    std::vector<Layer> layers;          ///< in topological order, inputs first
    std::vector<Segment> segments;      ///< in order; inputs belong to segment 0
    Dataset dataset;
    PublishedCounts published;
    PostTraining post_training;

    [[nodiscard]] const Layer& layer(Vertex v) const { return layers[v]; }
    /// Instances of a layer in the whole network.
    [[nodiscard]] std::int64_t instances(Vertex v) const { return layers[v].count * segments[layers[v].segment].count; }

    /// Instances of all segments that a pipeline may be cut before, the first included: the most stages that it can have.
    [[nodiscard]] std::int64_t segment_count() const;
    /// Whether a segment stays with the one before it: a loss that reads logits.
    [[nodiscard]] bool stays_with_previous(std::size_t segment) const;
    /// Of these, instances of blocks.
    [[nodiscard]] std::int64_t block_count() const;

    /// Appends a layer and registers it as a consumer of its producers.
    Vertex add(Layer layer);
};

/// Infers shapes and builds the graph. Throws InputError with all faults.
Graph build(const NetworkSpec& spec);

/// Totals over the whole network.
struct Counts {
    double parameters = 0;     ///< tied weights count once
    double trained = 0;        ///< of these, those that are not frozen
    Flop forward_per_sample;   ///< arithmetic of matrix products
    Flop training_per_sample;  ///< forward, dX and dW
    std::int64_t distinct_layers = 0;
    std::int64_t layers = 0;  ///< instances, inputs not counted
};
Counts count(const Graph& graph);

}  // namespace dodona::graph
