// The layer graph: operators joined by tensors.
//
// Blocks that repeat are kept as copies with a count: a block of repeat r becomes one first instance and, if r > 1, one
// further instance of count r-1 that stands for all later ones. So the work of everything downstream grows with
// distinct layers, not with depth, and a boundary between two instances is still seen once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/nest.hpp"
#include "graph/spec.hpp"

namespace dodona::graph {

/// Index of a layer in its graph. Producers come before their consumers.
using Vertex = std::size_t;

struct Layer {
    std::string name;   ///< path: "layers/attention"
    std::string kind;   ///< operator name; "input" for a network input
    std::string role;   ///< free word from the model file that strategy rules match
    std::string block;  ///< name of the innermost block, empty at the top
    Location where;
    std::int64_t count = 1;       ///< instances within one instance of its segment
    std::size_t segment = 0;      ///< index into Graph::segments
    bool frozen = false;          ///< its weights are not trained (the base of a low-rank adaptation)
    bool input_gradient = false;  ///< does anything before it train weights (else dX is not computed)
    Nest nest;
    std::vector<Vertex> producers;  ///< of its inputs, operand by operand
    std::vector<Vertex> consumers;  ///< of its output; twice where one reads it twice

    [[nodiscard]] bool trains() const { return !frozen && !nest.weights.empty(); }
    /// Whether gradients reach it at all: nothing runs backward in a frozen layer with nothing trained before it.
    [[nodiscard]] bool goes_backward() const { return trains() || input_gradient; }
    /// Whether backward reads what the nest may keep; without dW, what is kept for dW alone is not.
    [[nodiscard]] bool keeps(const Saved& saved) const { return saved.for_weights ? trains() : goes_backward(); }
};

/// What a pipeline never cuts: a top-level layer, or one instance of a top-level block. Equal instances in a row are one
/// segment with a count.
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
    std::vector<Layer> layers;      ///< in topological order, inputs first
    std::vector<Segment> segments;  ///< in order; inputs belong to segment 0
    Dataset dataset;
    PublishedCounts published;

    [[nodiscard]] const Layer& layer(Vertex v) const { return layers[v]; }
    /// Instances of a layer in the whole network.
    [[nodiscard]] std::int64_t instances(Vertex v) const { return layers[v].count * segments[layers[v].segment].count; }

    /// Instances of all segments: the most stages that a pipeline can have.
    [[nodiscard]] std::int64_t segment_count() const;
    /// Of these, instances of blocks.
    [[nodiscard]] std::int64_t block_count() const;

    /// Appends a layer whose producers are set, and makes it a consumer of theirs.
    Vertex add(Layer layer);
};

/// Infers shapes and builds the graph. Throws InputError with every fault found.
Graph build(const NetworkSpec& spec);

/// Totals over the whole network.
struct Counts {
    double parameters = 0;     ///< a tied weight once
    double trained = 0;        ///< of these, those that are not frozen
    Flop forward_per_sample;   ///< model arithmetic, matrix products only
    Flop training_per_sample;  ///< forward, and as much for each of dX and dW that training needs
    std::int64_t distinct_layers = 0;
    std::int64_t layers = 0;  ///< instances, inputs not counted
};
Counts count(const Graph& graph);

}  // namespace dodona::graph
