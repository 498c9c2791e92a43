// The builders of all operators, one file each, and what several of them share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/attributes.hpp"
#include "graph/nest.hpp"

namespace dodona::graph {

Nest build_conv(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_conv_transpose(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_linear(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_grouped_linear(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_batched_matmul(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_lstm(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_gru(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_rnn(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_attention(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_additive_attention(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_gated_delta(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_linear_attention(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_selective_scan(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_gated_recurrence(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_token_shift(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_short_conv(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_batch_norm(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_layer_norm(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_rms_norm(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_group_norm(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_instance_norm(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_local_response_norm(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_relu(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_gelu(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_silu(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_gated(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_sigmoid(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_tanh(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_leaky_relu(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_relu_squared(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_xielu(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_multiply(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_layer_scale(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_modulate(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_add(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_concat(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_join(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_mix_streams(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_narrow(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_max_pool(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_average_pool(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_global_pool(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_flatten(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_slice(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_pad_tokens(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_crop(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_upsample(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_to_image(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_to_sequence(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_merge_tokens(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_compress_tokens(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_prepend_tokens(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_dropout(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_softmax(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_cross_entropy(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_adaptive_softmax(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_ctc_loss(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_contrastive_loss(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_mean_squared_error(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_l1_error(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_embedding(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_embedding_bag(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_interaction(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_position_embedding(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_rotary(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_recall(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_router(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_dispatch(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_expert_linear(Attributes& attributes, std::span<const Tensor> inputs);
Nest build_combine(Attributes& attributes, std::span<const Tensor> inputs);

/// Convolutions step by 1 and may be dilated; pooling steps by its kernel and may round its output up (`ceil`).
enum class WindowKind { convolution, pooling };

/// Windows of an image operator (convolution, pooling): kernel, stride, pad, dilation and ceil mode from the
/// attributes, spatial dimensions from the tensor (batch, channel, then one to three of depth, height, width, length).
struct ImageGeometry {
    Extent channels = 1;
    std::vector<std::string> names;
    std::vector<Extent> inputs;
    std::vector<Extent> outputs;
    std::vector<Window> windows;
};
ImageGeometry image_geometry(Attributes& attributes, const Tensor& x, WindowKind kind = WindowKind::convolution);

/// Reports groups of a convolution that do not divide its channels and its filters.
bool groups_divide(Attributes& attributes, Extent groups, Extent channels, Extent filters);

/// One number a filter of each group, of a convolution with these loops.
Weight filter_bias(const Nest& nest);

/// Reports a tensor that is not an image: batch, channel, then one to three spatial dimensions.
bool is_image(Attributes& attributes, const Tensor& x);

/// Reports a tensor that is not tokens: batch, sequence, feature.
bool is_sequence(Attributes& attributes, const Tensor& x);

/// Reports a sequence that is not so many equal parts.
bool has_whole_documents(Attributes& attributes, const Tensor& x, Extent documents);

/// Whether a vector has one number for each channel of an image.
bool is_number_a_channel(const Tensor& vector, const Tensor& image);

/// Reports a tensor without a dimension beside the batch.
bool has_features(Attributes& attributes, const Tensor& x);

/// The dimension that the attribute `along` names, beside the batch; `usual` where it is not given, a fault if empty.
/// The tensor has features.
std::size_t dimension_along(Attributes& attributes, const Tensor& x, const std::string& usual);

/// The inputs one after the other along a dimension. Reports inputs that differ in another.
std::optional<Tensor> side_by_side(Attributes& attributes, std::span<const Tensor> inputs, std::size_t along);

/// Reports inputs whose shapes differ.
bool same_shapes(Attributes& attributes, std::span<const Tensor> inputs);

/// The loop that runs over a dimension of a tensor.
Loop loop_of(const TensorDimension& dimension);

/// A nest whose loops are the tensor's own dimensions, read and written element by element: the start of activations,
/// norms, dropout and joins. The batch is loop 0.
Nest element_wise(const Tensor& x, std::size_t inputs);

/// The passes of a normalisation over its input. Forward reads x once, or twice where the statistics need a pass of
/// their own (`forward_reads`), and writes y. Backward, one pass over x and dy makes the gradients of scale and bias,
/// another writes dx.
Work norm_work(const LocalExtents& local, double forward_reads);

/// The numbers 0, 1, ..., count - 1: the loops of an operand that carries every dimension.
std::vector<int> all_loops(std::size_t count);

/// Product of the local extents of all loops.
double volume(const LocalExtents& local);

/// Product of the local extents of the first `count` loops.
double volume_of_first(const LocalExtents& local, std::size_t count);

}  // namespace dodona::graph
