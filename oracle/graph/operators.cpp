#include "graph/operators.hpp"

#include <algorithm>
#include <array>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr std::size_t kMany = 10'000;

constexpr std::array kKinds{
    OperatorKind{"conv", build_conv, 1, 1, "convolution in one, two or three dimensions"},
    OperatorKind{"conv_transpose", build_conv_transpose, 1, 1, "transposed convolution: a window of outputs an input"},
    OperatorKind{"linear", build_linear, 1, 1, "product with a weight matrix along the last dimension"},
    OperatorKind{"batched_matmul", build_batched_matmul, 2, 2, "product of two tensors, sample by sample"},
    OperatorKind{"lstm", build_lstm, 1, 1, "long short-term memory, layers deep"},
    OperatorKind{"gru", build_gru, 1, 1, "gated recurrent units, layers deep"},
    OperatorKind{"rnn", build_rnn, 1, 1, "recurrent layers without gates"},
    OperatorKind{"attention", build_attention, 1, 4, "scaled dot-product attention"},
    OperatorKind{"batch_norm", build_batch_norm, 1, 1, "normalisation of each channel over the batch"},
    OperatorKind{"layer_norm", build_layer_norm, 1, 1, "normalisation of each token over its features"},
    OperatorKind{"rms_norm", build_rms_norm, 1, 1, "normalisation by the root mean square of the features"},
    OperatorKind{"group_norm", build_group_norm, 1, 1, "normalisation of each sample over groups of channels"},
    OperatorKind{"instance_norm", build_instance_norm, 1, 1, "normalisation of each sample's channels"},
    OperatorKind{"local_response_norm", build_local_response_norm, 1, 1, "normalisation over neighbouring channels"},
    OperatorKind{"relu", build_relu, 1, 1, "max(x, 0)"},
    OperatorKind{"gelu", build_gelu, 1, 1, "Gaussian error linear unit"},
    OperatorKind{"silu", build_silu, 1, 1, "sigmoid linear unit"},
    OperatorKind{"sigmoid", build_sigmoid, 1, 1, "logistic function"},
    OperatorKind{"tanh", build_tanh, 1, 1, "hyperbolic tangent"},
    OperatorKind{"leaky_relu", build_leaky_relu, 1, 1, "max(x, slope * x)"},
    OperatorKind{"relu_squared", build_relu_squared, 1, 1, "max(x, 0) squared"},
    OperatorKind{"gated", build_gated, 2, 2, "activation(gate) * up"},
    OperatorKind{"multiply", build_multiply, 2, 2, "product of two tensors, or of an image and a scale a channel"},
    OperatorKind{"add", build_add, 2, kMany, "sum of tensors of one shape"},
    OperatorKind{"concat", build_concat, 2, kMany, "concatenation along one dimension"},
    OperatorKind{"max_pool", build_max_pool, 1, 1, "maximum under a sliding window"},
    OperatorKind{"average_pool", build_average_pool, 1, 1, "mean under a sliding window"},
    OperatorKind{"global_pool", build_global_pool, 1, 1, "mean over a whole image"},
    OperatorKind{"flatten", build_flatten, 1, 1, "all dimensions beside the batch become one"},
    OperatorKind{"slice", build_slice, 1, 1, "the first positions of one dimension"},
    OperatorKind{"crop", build_crop, 1, 1, "a smaller image out of an image"},
    OperatorKind{"to_sequence", build_to_sequence, 1, 1, "positions of an image become tokens"},
    OperatorKind{"prepend_tokens", build_prepend_tokens, 1, 1, "learned tokens before a sequence"},
    OperatorKind{"recall", build_recall, 1, 1, "states of the segment before, put before a sequence"},
    OperatorKind{"dropout", build_dropout, 1, 1, "random zeroes"},
    OperatorKind{"softmax", build_softmax, 1, 1, "softmax over the last dimension"},
    OperatorKind{"cross_entropy", build_cross_entropy, 1, 1, "loss of logits against one class a token or pixel"},
    OperatorKind{"adaptive_softmax", build_adaptive_softmax, 1, 1, "head and loss over a vocabulary in clusters"},
    OperatorKind{"mean_squared_error", build_mean_squared_error, 2, 2, "squared distance from a target"},
    OperatorKind{"l1_error", build_l1_error, 2, 2, "absolute distance from a target, smooth near zero"},
    OperatorKind{"embedding", build_embedding, 1, 1, "look-up of ids in a table", Element::index},
    OperatorKind{"embedding_bag", build_embedding_bag, 1, 1, "sums of look-ups in many tables", Element::index},
    OperatorKind{"interaction", build_interaction, 2, 2, "dot products of a dense vector and those of tables"},
    OperatorKind{"position_embedding", build_position_embedding, 1, 1, "adds a learned table of positions"},
    OperatorKind{"rotary", build_rotary, 1, 1, "rotary positions"},
    OperatorKind{"router", build_router, 1, 1, "scores of each token for each expert, and the best of them"},
    OperatorKind{"dispatch", build_dispatch, 2, 2, "copies of each token for its experts"},
    OperatorKind{"expert_linear", build_expert_linear, 1, 1, "a product with each expert's own weight matrix"},
    OperatorKind{"combine", build_combine, 2, 2, "weighted sum of what a token's experts return"},
};

}  // namespace

std::span<const OperatorKind> operator_kinds() { return kKinds; }

const OperatorKind* find_operator(std::string_view name) {
    const auto found = std::ranges::find(kKinds, name, &OperatorKind::name);
    return found == kKinds.end() ? nullptr : &*found;
}

const std::vector<std::string>& operator_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const OperatorKind& kind : kKinds) {
            all.emplace_back(kind.name);
        }
        std::ranges::sort(all);
        return all;
    }();
    return names;
}

const std::vector<std::string>& loop_names() {
    static const std::vector<std::string> names{"batch", "group",  "channel",  "filter",     "depth",       "height",
                                                "width", "length", "sequence", "in_feature", "out_feature", "feature",
                                                "head",  "query",  "key",      "vocabulary", "class",       "hidden",
                                                "table", "lookup", "row",      "expert"};
    return names;
}

}  // namespace dodona::graph
