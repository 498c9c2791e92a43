#include "graph/operators.hpp"

#include <algorithm>
#include <array>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr std::size_t kMany = 10'000;

constexpr std::array kKinds{
    OperatorKind{"conv", build_conv, 1, 1, "convolution in one, two or three dimensions"},
    OperatorKind{"linear", build_linear, 1, 1, "product with a weight matrix along the last dimension"},
    OperatorKind{"attention", build_attention, 1, 4, "scaled dot-product attention"},
    OperatorKind{"batch_norm", build_batch_norm, 1, 1, "normalisation of each channel over the batch"},
    OperatorKind{"layer_norm", build_layer_norm, 1, 1, "normalisation of each token over its features"},
    OperatorKind{"rms_norm", build_rms_norm, 1, 1, "normalisation by the root mean square of the features"},
    OperatorKind{"relu", build_relu, 1, 1, "max(x, 0)"},
    OperatorKind{"gelu", build_gelu, 1, 1, "Gaussian error linear unit"},
    OperatorKind{"silu", build_silu, 1, 1, "sigmoid linear unit"},
    OperatorKind{"gated", build_gated, 2, 2, "activation(gate) * up"},
    OperatorKind{"add", build_add, 2, kMany, "sum of tensors of one shape"},
    OperatorKind{"concat", build_concat, 2, kMany, "concatenation along channels or the last dimension"},
    OperatorKind{"max_pool", build_max_pool, 1, 1, "maximum under a sliding window"},
    OperatorKind{"average_pool", build_average_pool, 1, 1, "mean under a sliding window"},
    OperatorKind{"global_pool", build_global_pool, 1, 1, "mean over a whole image"},
    OperatorKind{"flatten", build_flatten, 1, 1, "all dimensions beside the batch become one"},
    OperatorKind{"dropout", build_dropout, 1, 1, "random zeroes"},
    OperatorKind{"softmax", build_softmax, 1, 1, "softmax over the last dimension"},
    OperatorKind{"cross_entropy", build_cross_entropy, 1, 1, "loss of logits against one class a token"},
    OperatorKind{"embedding", build_embedding, 1, 1, "look-up of ids in a table", Element::index},
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

const std::vector<std::string>& loop_names() {
    static const std::vector<std::string> names{"batch", "group",  "channel",  "filter",     "depth",       "height",
                                                "width", "length", "sequence", "in_feature", "out_feature", "feature",
                                                "head",  "query",  "key",      "vocabulary", "class",       "expert"};
    return names;
}

}  // namespace dodona::graph
