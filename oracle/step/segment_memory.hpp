// What one instance of a segment keeps on one device for one micro-batch, and what it needs for a moment.
//
// Tensors are as wide as the precision, the operator that declared them and the software's profile say. Layers that a
// plan recomputes by name (Plan::recompute_layers) keep nothing: their internal tensors and their results are dropped,
// also where another layer would read them backward, and what they read of others is kept instead.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/precision.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "plan/shard.hpp"

namespace dodona::step {

/// Bytes of one element of a tensor, before any profile.
Bytes element_bytes(graph::Element element, Precision precision);

/// Bytes of one element of a product's input that is kept in the product's own precision, scales included: fp8 1,
/// mxfp8 33/32 (a byte for 32), nvfp4 9/16 (a byte for 16); else as activations are kept. Sources: OCP Microscaling
/// Formats specification 1.0, section 5; NVIDIA, Introducing NVFP4 (2025).
Bytes quantised_bytes(Precision precision);

struct SegmentMemory {
    Bytes saved;                      ///< kept for backward without recomputation
    Bytes dropped;                    ///< of which recomputation in parts (selective, or of named layers) drops
    Bytes instead;                    ///< what recomputation in parts keeps instead: inputs of recomputed layers
    Bytes transient;                  ///< inputs' and output's gradients of the layer with the largest ones
    std::vector<Bytes> placeholders;  ///< for the gradient of each matrix of a block (MemoryProfile)
    Bytes widest_weight;              ///< its largest matrix in fp32
};

/// Fills segments layer by layer, in topological order: a tensor is kept where the first layer asks for it.
class SegmentMemories {
public:
    /// `repeated`: by vertex, whether the plan recomputes the layer by name.
    SegmentMemories(const graph::Graph& graph, const plan::ShardedGraph& sharded, const plan::Mesh& mesh,
                    const plan::Plan& plan, const std::vector<bool>& repeated);

    /// `count`: instances of the layer in one instance of its segment.
    void add(graph::Vertex v, double count, SegmentMemory& segment);

private:
    /// A tensor in a layout; its quantised copy is another one.
    using Tensor = std::pair<std::pair<graph::Vertex, bool>, plan::Sharding>;

    /// Whether it is kept here for the first time. Kept inside its producer's segment it serves later segments too (a
    /// repeated block that keeps its output keeps the next instance's input); otherwise each consuming segment keeps it
    /// for itself.
    bool first(const Tensor& tensor, graph::Vertex v);
    void add_saved(graph::Vertex v, double count, SegmentMemory& segment);
    void add_inputs_instead(graph::Vertex v, double count, SegmentMemory& segment);
    void add_transient(graph::Vertex v, SegmentMemory& segment) const;
    void add_placeholders(graph::Vertex v, double count, SegmentMemory& segment) const;
    [[nodiscard]] Bytes width(const plan::SavedTensor& saved, bool quantised) const;
    [[nodiscard]] bool in_block(graph::Vertex v) const;
    /// Whether all that reads the layer's result is a loss that writes its gradient over it.
    [[nodiscard]] bool gradient_in_place(graph::Vertex v) const;
    /// Elements of one matrix of a weight: of one expert, where there are several.
    [[nodiscard]] double matrix(graph::Vertex v, std::size_t weight) const;

    const graph::Graph& graph_;
    const plan::ShardedGraph& sharded_;
    const plan::Mesh& mesh_;
    const plan::MemoryProfile& profile_;
    Precision precision_;
    bool named_;  ///< the plan recomputes layers by name
    const std::vector<bool>& repeated_;
    std::set<Tensor> at_home_;
    std::set<std::pair<Tensor, std::int64_t>> elsewhere_;
};

}  // namespace dodona::step
