// The graphs of convolution and attention: shapes to cuDNN's operations. Needs no GPU.
#pragma once

#include <string>

#include "base/precision.hpp"
#include "calibrate/cuda/cudnn_graph.hpp"

namespace dodona::calibrate::cuda {

struct ConvolutionShape {
    std::int64_t images = 1, channels = 1, filters = 1, groups = 1;
    std::vector<std::int64_t> input, window, strides, pads, dilations;  ///< one number a dimension: 2 or 3
    bool channels_last = false;                                         ///< nhwc

    /// Of one dimension: (input + 2 pad - (dilation (window - 1) + 1)) / stride + 1.
    [[nodiscard]] std::vector<std::int64_t> output() const;
    [[nodiscard]] std::int64_t x_elements() const;
    [[nodiscard]] std::int64_t w_elements() const;
    [[nodiscard]] std::int64_t y_elements() const;
};

/// A graph and the tensors of it that lie in memory.
struct ConvolutionGraph {
    CudnnGraph graph;
    CudnnGraph::Id x, w, y;
};
/// `direction`: forward, backward-input, backward-weight.
ConvolutionGraph convolution_graph(const ConvolutionShape& shape, Precision precision, const std::string& direction);

/// What engines of a precision must not do: cuDNN cuts fp32 to tf32 on tensor cores unless those engines are refused.
std::vector<cudnnBackendNumericalNote_t> refused_of(Precision precision);

/// Tensors of attention are [batch, heads, positions, head] in memory as [batch, positions, heads, head].
struct AttentionShape {
    std::int64_t batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, head = 1;
    bool causal = false;
};

/// Scores and probabilities never reach memory; `statistics` is the logarithm of each row's sum, fp32.
struct AttentionForward {
    CudnnGraph graph;
    CudnnGraph::Id q, k, v, scale, output, statistics;
    CudnnGraph::Id masked = 0;  ///< the scalar that hidden scores become; zero where nothing is hidden
};
AttentionForward attention_forward(const AttentionShape& shape, Precision precision);

struct AttentionBackward {
    CudnnGraph graph;
    CudnnGraph::Id q, k, v, output, statistics, scale, dout, dq, dk, dv;
    CudnnGraph::Id one;            ///< a scalar, 1
    CudnnGraph::Id sums, dq_sums;  ///< scratch in fp32: [batch, heads, queries], and as dq
    CudnnGraph::Id masked = 0;
};
AttentionBackward attention_backward(const AttentionShape& shape, Precision precision);

}  // namespace dodona::calibrate::cuda
