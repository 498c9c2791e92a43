// Activations and transient memory of one instance of a segment on one device for one micro-batch.
//
// The width of tensors follows from the precision, the operator's declaration and the memory profile. Layers that a
// plan recomputes by name (Plan::recompute_layers) keep nothing: their internal tensors and results are dropped, even
// where another layer reads them in backward, and their inputs are kept instead.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
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

/// Most transient memory at a time beside all that is kept for backward: of layers that need `earlier`, and of what
/// comes after them, which keeps `kept` and needs `transient`. Backward reaches the earlier layers when `kept` is free.
Bytes peak_after_freeing(Bytes earlier, Bytes kept, Bytes transient);

struct SegmentMemory {
    Bytes saved;  ///< kept for backward without recomputation: the sum of the list
    /// Tensors that all instances of a repeated block read: kept once a stage, and not in `saved`.
    std::map<graph::Vertex, Bytes> shared_by_instances;
    Bytes dropped;  ///< part of `saved` that selective recomputation or recomputation of named layers drops
    /// What gradients of weights need, once those of inputs are there: inputs of products with weights, and gradients of
    /// their results.
    Bytes for_weights;
    Bytes recompute_inputs;           ///< inputs of recomputed layers, which are kept instead
    Bytes transient;                  ///< most at a time beside `saved`: gradients of inputs and output of a layer
    std::vector<Bytes> placeholders;  ///< for the gradient of each matrix of a block (MemoryTensors)
    Bytes widest_weight;              ///< the largest matrix in fp32
    Bytes results;                    ///< logits that a pipeline's last stage keeps of every micro-batch
    Bytes loss;                       ///< most that layers with logits need at a time in addition to `saved`
};

/// A tensor that a layer keeps for backward, as SegmentMemory counts it.
struct KeptTensor {
    const plan::SavedTensor* saved = nullptr;  ///< null: `copy`
    std::string_view copy;                     ///< what software keeps in addition, in words
    Bytes bytes;                               ///< of all instances of the layer
    bool dropped = false;                      ///< by selective recomputation or recomputation of named layers
};

/// Computes the memory of segments layer by layer, in topological order. A tensor is counted where the first layer
/// keeps it.
class SegmentMemories {
public:
    /// `repeated`: by vertex, whether the layer is recomputed by name; empty: none is.
    SegmentMemories(const graph::Graph& graph, const plan::ShardedGraph& sharded, const plan::Mesh& mesh,
                    const plan::Plan& plan, std::vector<bool> repeated);

    /// `count`: instances of the layer in one instance of its segment.
    void add(graph::Vertex v, double count, SegmentMemory& segment);

    /// The same; returns the tensors where they are counted, without those that blocks read alike.
    std::vector<KeptTensor> add_listed(graph::Vertex v, double count, SegmentMemory& segment);

    /// Of a layer on the device.
    [[nodiscard]] Bytes result(graph::Vertex v) const;
    /// Elements of what a loss keeps of its logits on the device.
    [[nodiscard]] double logits(graph::Vertex v, const plan::SavedTensor& saved) const;
    /// Tensors in fp32 that a loss needs in addition to what it keeps, when forward ends and backward begins.
    [[nodiscard]] std::vector<Bytes> loss_temporaries(graph::Vertex v, const plan::SavedTensor& saved) const;
    /// Whether logits are there, as their product wrote them, until backward begins.
    [[nodiscard]] bool keeps_loss_inputs(graph::Vertex v) const;

private:
    /// A tensor in a sharding; its quantised copy counts as another tensor.
    using Tensor = std::pair<std::pair<graph::Vertex, bool>, plan::Sharding>;

    /// Whether the tensor is kept for the first time. If its producer's segment keeps it, later segments use that copy
    /// (a repeated block that keeps its output keeps the next instance's input); otherwise each consuming segment keeps
    /// one.
    bool first(const Tensor& tensor, graph::Vertex v);
    void keep(const KeptTensor& tensor, SegmentMemory& segment) const;
    void add_saved(graph::Vertex v, double count, SegmentMemory& segment);
    void add_gate_result(graph::Vertex v, double count, SegmentMemory& segment) const;
    void add_gathered(graph::Vertex v, double count, SegmentMemory& segment) const;
    void add_for_weights(graph::Vertex v, double count, SegmentMemory& segment);
    void add_recompute_inputs(graph::Vertex v, double count, SegmentMemory& segment);
    [[nodiscard]] plan::SavedTensor kept_input(graph::Vertex v, graph::Vertex producer) const;
    void add_transient(graph::Vertex v, SegmentMemory& segment) const;
    void add_placeholders(graph::Vertex v, double count, SegmentMemory& segment) const;
    [[nodiscard]] Bytes width(const plan::SavedTensor& saved, graph::Vertex v) const;
    [[nodiscard]] bool in_block(graph::Vertex v) const;
    [[nodiscard]] bool is_repeated(graph::Vertex v) const { return !repeated_.empty() && repeated_[v]; }
    /// Whether a layer keeps a tensor that all instances of its block read alike.
    [[nodiscard]] bool reads_shared(graph::Vertex tensor, graph::Vertex v) const;
    void find_rules();
    /// The first rule on these tensors, if it does that; otherwise null.
    [[nodiscard]] const plan::MemoryRule* rule(graph::Vertex v, plan::MemoryAction action,
                                               plan::MemoryTensors tensors) const;
    [[nodiscard]] bool has(graph::Vertex v, plan::MemoryAction action, plan::MemoryTensors tensors) const {
        return rule(v, action, tensors) != nullptr;
    }
    void find_chunks(graph::Vertex v, const plan::SavedTensor& saved);
    /// The part of a layer's result that is there at a time.
    [[nodiscard]] double share_of_result(graph::Vertex v) const;
    /// Whether the layer is a loss that computes gradients in forward, or its product.
    [[nodiscard]] bool is_fused(graph::Vertex v) const;
    void add_fused_gradients(graph::Vertex v, double count, SegmentMemory& segment) const;
    [[nodiscard]] bool casts_to(graph::Vertex v, plan::MemoryTensors tensors, plan::CastTo to) const;
    void find_shared();
    void find_waiting();
    void find_autocasts();
    /// Whether the result is in fp32 because software casts by itself.
    [[nodiscard]] bool is_wide(graph::Vertex tensor) const;
    /// Whether what the layer keeps of a wide result is a copy of its own in 16 bits.
    [[nodiscard]] bool is_cast(const plan::SavedTensor& saved, graph::Vertex v) const;
    void add_norm_result(graph::Vertex v, double count, SegmentMemory& segment) const;
    void add_probabilities(graph::Vertex v, double count, SegmentMemory& segment) const;
    /// Whether the tensor is kept once for a product and another layer (MemoryTensors::shared_inputs).
    [[nodiscard]] bool is_shared(const plan::SavedTensor& saved) const;
    /// Whether what the layer keeps is kept in the precision of products.
    [[nodiscard]] bool is_quantised(const plan::SavedTensor& saved, graph::Vertex v) const;
    /// Elements of one matrix of a weight; of one expert if there are several.
    [[nodiscard]] double matrix(graph::Vertex v, std::size_t weight) const;

    const graph::Graph& graph_;
    const plan::ShardedGraph& sharded_;
    const plan::Mesh& mesh_;
    const plan::MemoryProfile& profile_;
    Precision precision_;
    std::vector<bool> repeated_;  ///< by vertex; empty: no layer is recomputed by name
    /// By vertex and tensors of layers: the first rule that matches, or null. Empty: there is none.
    std::vector<
        std::array<const plan::MemoryRule*, static_cast<std::size_t>(plan::MemoryTensors::split_loss_temporaries) + 1>>
        rules_;
    std::map<graph::Vertex, double> chunks_;        ///< logits that are there in part: which part at a time
    std::map<graph::Vertex, graph::Vertex> fused_;  ///< products of losses that compute gradients in forward
    std::set<graph::Vertex> shared_;
    std::vector<KeptTensor>* listed_ = nullptr;    ///< where tensors are listed; null: they are not
    std::set<graph::Vertex> shared_by_instances_;  ///< tensors that all instances of a block read
    std::vector<double> waiting_;  ///< by vertex: elements of gradients beside it of what later layers read already
    std::vector<bool> is_wide_;    ///< by vertex; empty: software does not cast by itself
    std::vector<bool> casts_;      ///< by vertex; likewise
    std::set<Tensor> at_home_;
    std::set<std::pair<Tensor, std::int64_t>> elsewhere_;
    std::set<std::pair<Tensor, std::size_t>> for_weights_;  ///< with the segment that needs it
};

}  // namespace dodona::step
