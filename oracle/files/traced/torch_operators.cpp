#include "files/traced/torch_operators.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ranges.hpp"
#include "files/traced/operator_meaning.hpp"

namespace dodona::files {

namespace {

/// ATen's operators that one of ours does the work of, without "aten." and overload. Activations that are none of ours
/// move the same bytes as the one they are taken as. Source: pytorch/pytorch: aten/src/ATen/native/native_functions.yaml.
constexpr std::array kTorchMeanings{
    OperatorMeaning{"_adaptive_avg_pool2d", TracedOp::average_pool},
    OperatorMeaning{"_fused_rms_norm", TracedOp::rms_norm},
    OperatorMeaning{"_log_softmax", TracedOp::softmax},
    OperatorMeaning{"_native_batch_norm_legit", TracedOp::batch_norm},
    OperatorMeaning{"_native_batch_norm_legit_functional", TracedOp::batch_norm},
    OperatorMeaning{"_native_batch_norm_legit_no_training", TracedOp::batch_norm},
    OperatorMeaning{"_reshape_alias", TracedOp::reshape},
    OperatorMeaning{"_safe_softmax", TracedOp::softmax},
    OperatorMeaning{"_scaled_dot_product_attention_math", TracedOp::attention},
    OperatorMeaning{"_scaled_dot_product_efficient_attention", TracedOp::attention},
    OperatorMeaning{"_scaled_dot_product_flash_attention", TracedOp::attention},
    OperatorMeaning{"_scaled_dot_product_flash_attention_for_cpu", TracedOp::attention},
    OperatorMeaning{"_softmax", TracedOp::softmax},
    OperatorMeaning{"_to_copy", TracedOp::same},
    OperatorMeaning{"_unsafe_view", TracedOp::reshape},
    OperatorMeaning{"adaptive_avg_pool1d", TracedOp::average_pool},
    OperatorMeaning{"adaptive_avg_pool2d", TracedOp::average_pool},
    OperatorMeaning{"adaptive_avg_pool3d", TracedOp::average_pool},
    OperatorMeaning{"add", TracedOp::add},
    OperatorMeaning{"addmm", TracedOp::linear},
    OperatorMeaning{"alias", TracedOp::same},
    OperatorMeaning{"avg_pool1d", TracedOp::average_pool},
    OperatorMeaning{"avg_pool2d", TracedOp::average_pool},
    OperatorMeaning{"avg_pool3d", TracedOp::average_pool},
    OperatorMeaning{"batch_norm", TracedOp::batch_norm},
    OperatorMeaning{"bmm", TracedOp::matmul},
    OperatorMeaning{"cat", TracedOp::concat},
    OperatorMeaning{"celu", TracedOp::silu},
    OperatorMeaning{"chunk", TracedOp::split},
    OperatorMeaning{"clamp", TracedOp::relu},
    OperatorMeaning{"clone", TracedOp::same},
    OperatorMeaning{"contiguous", TracedOp::same},
    OperatorMeaning{"conv1d", TracedOp::conv},
    OperatorMeaning{"conv2d", TracedOp::conv},
    OperatorMeaning{"conv3d", TracedOp::conv},
    OperatorMeaning{"convolution", TracedOp::conv},
    OperatorMeaning{"cudnn_batch_norm", TracedOp::batch_norm},
    OperatorMeaning{"detach", TracedOp::same},
    OperatorMeaning{"div", TracedOp::divide},
    OperatorMeaning{"dropout", TracedOp::dropout},
    OperatorMeaning{"elu", TracedOp::silu},
    OperatorMeaning{"embedding", TracedOp::embedding},
    OperatorMeaning{"erf", TracedOp::error_function},
    OperatorMeaning{"expand", TracedOp::expand},
    OperatorMeaning{"feature_dropout", TracedOp::dropout},
    OperatorMeaning{"flatten", TracedOp::reshape},
    OperatorMeaning{"gelu", TracedOp::gelu},
    OperatorMeaning{"group_norm", TracedOp::group_norm},
    OperatorMeaning{"gru", TracedOp::gru},
    OperatorMeaning{"hardsigmoid", TracedOp::sigmoid},
    OperatorMeaning{"hardswish", TracedOp::silu},
    OperatorMeaning{"hardtanh", TracedOp::relu},
    OperatorMeaning{"instance_norm", TracedOp::instance_norm},
    OperatorMeaning{"layer_norm", TracedOp::layer_norm},
    OperatorMeaning{"leaky_relu", TracedOp::leaky_relu},
    OperatorMeaning{"lift_fresh_copy", TracedOp::same},
    OperatorMeaning{"linear", TracedOp::linear},
    OperatorMeaning{"log_softmax", TracedOp::softmax},
    OperatorMeaning{"lstm", TracedOp::lstm},
    OperatorMeaning{"masked_fill", TracedOp::where},
    OperatorMeaning{"matmul", TracedOp::matmul},
    OperatorMeaning{"max_pool1d", TracedOp::max_pool},
    OperatorMeaning{"max_pool2d", TracedOp::max_pool},
    OperatorMeaning{"max_pool2d_with_indices", TracedOp::max_pool},
    OperatorMeaning{"max_pool3d", TracedOp::max_pool},
    OperatorMeaning{"max_pool3d_with_indices", TracedOp::max_pool},
    OperatorMeaning{"mean", TracedOp::mean},
    OperatorMeaning{"mish", TracedOp::silu},
    OperatorMeaning{"mm", TracedOp::matmul},
    OperatorMeaning{"mul", TracedOp::multiply},
    OperatorMeaning{"native_batch_norm", TracedOp::batch_norm},
    OperatorMeaning{"native_dropout", TracedOp::dropout},
    OperatorMeaning{"native_group_norm", TracedOp::group_norm},
    OperatorMeaning{"native_layer_norm", TracedOp::layer_norm},
    OperatorMeaning{"neg", TracedOp::negate},
    OperatorMeaning{"permute", TracedOp::transpose},
    OperatorMeaning{"pow", TracedOp::power},
    OperatorMeaning{"reciprocal", TracedOp::reciprocal},
    OperatorMeaning{"relu", TracedOp::relu},
    OperatorMeaning{"relu6", TracedOp::relu},
    OperatorMeaning{"repeat", TracedOp::expand},
    OperatorMeaning{"reshape", TracedOp::reshape},
    OperatorMeaning{"rms_norm", TracedOp::rms_norm},
    OperatorMeaning{"rnn_relu", TracedOp::rnn},
    OperatorMeaning{"rnn_tanh", TracedOp::rnn},
    OperatorMeaning{"rsqrt", TracedOp::reciprocal_root},
    OperatorMeaning{"rsub", TracedOp::subtract},
    OperatorMeaning{"scaled_dot_product_attention", TracedOp::attention},
    OperatorMeaning{"select", TracedOp::slice},
    OperatorMeaning{"selu", TracedOp::silu},
    OperatorMeaning{"sigmoid", TracedOp::sigmoid},
    OperatorMeaning{"silu", TracedOp::silu},
    OperatorMeaning{"slice", TracedOp::slice},
    OperatorMeaning{"softmax", TracedOp::softmax},
    OperatorMeaning{"softplus", TracedOp::silu},
    OperatorMeaning{"split", TracedOp::split},
    OperatorMeaning{"split_with_sizes", TracedOp::split},
    OperatorMeaning{"sqrt", TracedOp::square_root},
    OperatorMeaning{"squeeze", TracedOp::reshape},
    OperatorMeaning{"sub", TracedOp::subtract},
    OperatorMeaning{"t", TracedOp::transpose},
    OperatorMeaning{"tanh", TracedOp::tanh},
    OperatorMeaning{"to", TracedOp::same},
    OperatorMeaning{"transpose", TracedOp::transpose},
    OperatorMeaning{"type_as", TracedOp::same},
    OperatorMeaning{"unbind", TracedOp::split},
    OperatorMeaning{"unflatten", TracedOp::reshape},
    OperatorMeaning{"unsqueeze", TracedOp::reshape},
    OperatorMeaning{"view", TracedOp::reshape},
    OperatorMeaning{"where", TracedOp::where},
};
static_assert(std::is_sorted(kTorchMeanings.begin(), kTorchMeanings.end()));

constexpr std::array<std::string_view, 11> kOfShapes{"bernoulli",  "empty_like", "full_like", "new_full",
                                                     "new_ones",   "new_zeros",  "ones_like", "rand_like",
                                                     "randn_like", "sym_size",   "zeros_like"};

}  // namespace

std::string torch_type(const std::string& target) {
    constexpr std::string_view kNamespace = "aten.";
    std::string type = target.starts_with(kNamespace) ? target.substr(kNamespace.size()) : target;
    type = type.substr(0, type.find('.'));
    const bool is_in_place = type.size() > 1 && type.ends_with('_');
    return is_in_place ? type.substr(0, type.size() - 1) : type;
}

TracedOp torch_meaning(const std::string& type) { return meaning_in(kTorchMeanings, type); }

bool reads_shapes_only(const std::string& type) { return contains(kOfShapes, type); }

}  // namespace dodona::files
