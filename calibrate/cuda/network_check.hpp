// What the host expects of convolutions and attention, at some places of the result.
#pragma once

#include <string>

#include "calibrate/cuda/benchmark_context.hpp"
#include "calibrate/cuda/network_graphs.hpp"

namespace dodona::calibrate::cuda {

struct ConvolutionTensors {
    Tensor x, w, y;
};
/// The deviation of the tensor that the direction computes. Two dimensions.
double convolution_error(const BenchmarkContext& context, const ConvolutionShape& shape,
                         const ConvolutionTensors& tensors, const std::string& direction);

/// One entry of that tensor, from what it is computed of; `at` counts in memory. Two dimensions.
double convolution_entry(const ConvolutionShape& shape, const std::string& direction, const std::vector<float>& x,
                         const std::vector<float>& w, const std::vector<float>& y, std::int64_t at);

struct AttentionTensors {
    Tensor q, k, v, output, statistics, dout, dq, dk, dv;
};
double attention_error(const BenchmarkContext& context, const AttentionShape& shape, const AttentionTensors& tensors);
double attention_backward_error(const BenchmarkContext& context, const AttentionShape& shape,
                                const AttentionTensors& tensors);

/// Attention on the host, [batch, positions, heads, head] in memory.
struct HostAttention {
    AttentionShape shape;
    std::vector<float> q, k, v, dout;

    /// Probabilities of one query over all keys.
    [[nodiscard]] std::vector<double> shares(std::int64_t batch, std::int64_t head, std::int64_t query) const;
    /// The attended values of one query.
    [[nodiscard]] std::vector<double> output(std::int64_t batch, std::int64_t head, std::int64_t query) const;
    /// Gradients of one query's scores, over all keys.
    [[nodiscard]] std::vector<double> score_gradient(std::int64_t batch, std::int64_t head, std::int64_t query) const;
    [[nodiscard]] std::vector<double> query_gradient(std::int64_t batch, std::int64_t head, std::int64_t query) const;
    /// Of one key, of all queries and heads that read it: of the key, then of its value.
    [[nodiscard]] std::vector<double> key_gradient(std::int64_t batch, std::int64_t kv_head, std::int64_t key) const;
};

}  // namespace dodona::calibrate::cuda
