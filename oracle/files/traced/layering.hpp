// What makes layers of the nodes of a traced graph, one after the other. What it does by kind of node is in layering_*.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/traced/traced_layers.hpp"
#include "files/traced/view.hpp"

namespace dodona::files {

struct UnaryLayer {
    TracedOp op;
    std::string_view name;
};

/// Operators with one input that change no shape.
inline constexpr std::array kUnaryLayers{
    UnaryLayer{TracedOp::relu, "relu"},       UnaryLayer{TracedOp::gelu, "gelu"},
    UnaryLayer{TracedOp::silu, "silu"},       UnaryLayer{TracedOp::sigmoid, "sigmoid"},
    UnaryLayer{TracedOp::tanh, "tanh"},       UnaryLayer{TracedOp::leaky_relu, "leaky_relu"},
    UnaryLayer{TracedOp::dropout, "dropout"}, UnaryLayer{TracedOp::error_function, "sigmoid"}};

/// Of one graph: a node reads views of the layers before it, adds layers and sets the views of its results. Nodes that
/// split, join or exchange axes only change views.
class Layering {
public:
    explicit Layering(const TracedGraph& graph) : graph_(graph), views_(graph.tensors.size()) {}

    TracedLayers run();

private:
    // Inputs.

    /// The first node that reads a tensor.
    [[nodiscard]] const TracedNode* reader_of(TensorId id) const;
    void add_input(const TracedInput& input);
    static std::string name_of_axis(std::size_t at, std::size_t count, bool is_image, bool is_index);
    static std::string cleaned(std::string name);

    // Layers.

    std::size_t append(TracedLayer layer);
    /// The last part of a node's scope ("/encoder/layer.0/attention/query/MatMul" is query), else its operator.
    [[nodiscard]] std::string label(const std::string& op) const;
    /// Operators that stand in a module beside others: the module's name would not tell them apart.
    static bool is_shared(const std::string& op);

    using EntryAttributes = std::vector<std::pair<std::string, std::string>>;
    std::size_t add_layer(const std::string& op, std::vector<std::size_t> from, std::vector<TracedDimension> result,
                          EntryAttributes attributes = {});
    [[nodiscard]] std::string type_in_lower_case() const;
    /// An activation that is taken as another one.
    void note_taken(const std::string& op);
    [[nodiscard]] const std::vector<TracedDimension>& dimensions(const TensorView& view) const;
    [[nodiscard]] Shape extents(std::size_t layer) const;
    void count_weights(std::size_t first_input);

    // Views.

    [[noreturn]] void refuse_node(const std::string& what, const std::string& help = {}) const;
    /// What an input of the node is.
    [[nodiscard]] const TensorView& view(std::size_t input) const;
    void set(std::size_t output, std::optional<TensorView> view);
    /// The same axes of another layer, whose dimension `changed` may have another extent.
    static TensorView moved(TensorView view, std::size_t layer);
    /// A part of a layer's result as a layer of its own.
    TensorView made_whole(const TensorView& view);
    static std::string quoted_name(const std::string& name) { return '"' + name + '"'; }
    /// Steps of a dimension whose factors were cut, from its inner ones.
    static void renumber(TensorView& view, int dimension);
    /// Whether the last axis is the last dimension, as rows of products and norms are.
    [[nodiscard]] bool has_rows(const TensorView& view) const;
    /// A view whose last axis is all features of a layer: an image becomes tokens or one row first.
    TensorView rows(const TensorView& given);
    /// All dimensions beside the batch, as one axis has them.
    static AxisFactors whole_row(const std::vector<TracedDimension>& result);
    TensorView flattened(const TensorView& view);
    /// Positions of an image as tokens.
    TensorView as_tokens(const TensorView& view, std::int64_t positions);
    /// Whether axes are batch, channels in any order, positions.
    [[nodiscard]] bool is_image(const TensorView& view) const;
    TensorView image(std::size_t input);
    void check_shapes(const TracedNode& node) const;

    // Nodes.

    void add(const TracedNode& node);
    [[noreturn]] void refuse_operator() const;
    void add_unary(const std::string& op);
    void add_slice();
    void add_split();
    void add_concat();
    void prepend(const std::vector<TensorView>& parts, std::size_t axis, std::int64_t tokens);

    // Convolutions and pooling.

    [[nodiscard]] Shape numbers(const std::string& key) const;
    /// One number of padding a dimension, with which the window has as many positions as the result.
    Shape padding(const Shape& from, const Shape& to, bool is_transposed) const;
    void add_conv();
    static void add_unless(EntryAttributes& attributes, const std::string& key, const std::string& value,
                           const std::string& usual);
    /// A convolution of single pixels, whose channels may be the features of a row (squeeze and excitation).
    [[nodiscard]] bool is_pixelwise(const Shape& weight) const;
    void add_pixelwise(std::int64_t filters, bool has_bias);
    void add_pool();
    void add_global_pool();
    void add_image_norm();

    // Rows of features.

    TensorView product(const TensorView& x, std::int64_t out, bool has_bias);
    void add_linear();
    /// The table of an embedding that a product shares: the same tensor, or one of the same numbers transposed, which
    /// exporters write out a second time.
    [[nodiscard]] TensorId tied_table(TensorId weight, bool is_transposed) const;
    /// Compares some hundred numbers of the two.
    static bool are_transposed(const TracedTensor& a, const TracedTensor& b);
    void add_norm();
    /// Whether the last axis is the inner part of the features, as of queries of one head.
    [[nodiscard]] bool has_heads(const TensorView& view, std::int64_t size) const;
    void add_softmax();
    void add_embedding();

    // Two tensors, element by element.

    void add_pair();
    [[nodiscard]] bool are_alike(const TensorView& a, const TensorView& b) const;
    /// An image and a number a channel, or tokens and a number a token.
    void add_scale(TensorView a, TensorView b);
    void add_constant(TensorId constant, std::size_t varying);
    /// A learned table of positions.
    void add_table(const TracedTensor& tensor, const TensorView& x);
    void add_power();
    void add_gated();

    // Attention.

    void add_rotary();
    /// What an input of attention is of: (sequence, feature).
    TensorView tokens(const TensorView& given);
    [[nodiscard]] static std::int64_t repeats(const TensorView& view);
    void add_attention();
    /// (batch, head, position, feature of a head), or with the first two in one axis.
    void set_heads(std::size_t layer, std::int64_t heads, std::int64_t width);
    void add_recurrent();

    // The end.

    /// Results that nothing reads get the loss that their layer asks for.
    void add_losses();
    void add_loss(std::size_t end);

    const TracedGraph& graph_;
    std::vector<std::optional<TensorView>> views_;  ///< of each tensor that is a layer's result
    TracedLayers result_;
    std::map<TensorId, std::string> tables_;  ///< of embeddings: what `tied` names
    const TracedNode* node_ = nullptr;        ///< at hand
    std::string own_op_;                      ///< the operator that the node at hand is taken as
};

}  // namespace dodona::files
