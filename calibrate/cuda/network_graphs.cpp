#include "calibrate/cuda/network_graphs.hpp"

#include <numeric>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

namespace {

using Extents = CudnnGraph::Extents;

cudnnDataType_t type_of(Precision precision, const char* benchmark) {
    switch (precision) {
        case Precision::fp32:
        case Precision::tf32: return CUDNN_DATA_FLOAT;
        case Precision::fp16: return CUDNN_DATA_HALF;
        case Precision::bf16: return CUDNN_DATA_BFLOAT16;
        default: break;
    }
    throw CannotMeasure(
        fmt::format("{} in {} is not measured: frameworks run it in 16 bits", benchmark, name(precision)));
}

std::int64_t product(const Extents& extents) {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// Strides of {n, c, spatial...}, packed.
Extents image_strides(const Extents& extents, bool channels_last) {
    Extents strides(extents.size());
    std::int64_t stride = channels_last ? extents[1] : 1;
    for (std::size_t i = extents.size() - 1; i >= 2; --i) {
        strides[i] = stride;
        stride *= extents[i];
    }
    strides[1] = channels_last ? 1 : stride;
    strides[0] = product(extents) / extents[0];
    return strides;
}

Extents joined(std::int64_t n, std::int64_t c, const Extents& spatial) {
    Extents all{n, c};
    all.insert(all.end(), spatial.begin(), spatial.end());
    return all;
}

// ---- attention, with b batch, h heads, s positions, d head

/// [b, h, s, d] of memory that is [b, s, h, d].
Extents heads_strides(std::int64_t h, std::int64_t s, std::int64_t d) { return {s * h * d, d, h * d, 1}; }

/// The same memory as [b, h, d, s].
Extents turned_strides(std::int64_t h, std::int64_t s, std::int64_t d) { return {s * h * d, d, 1, h * d}; }

Extents scores_of(const AttentionShape& of) { return {of.batch, of.heads, of.queries, of.keys}; }

Extents packed(const Extents& extents) {
    return {extents[1] * extents[2] * extents[3], extents[2] * extents[3], extents[3], 1};
}

CudnnGraph::Id inner(CudnnGraph& graph, const Extents& extents, cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return graph.inner(type, extents, packed(extents));
}

/// Scores whose key lies after their query become `hidden`.
CudnnGraph::Id hide_later(CudnnGraph& graph, const AttentionShape& of, CudnnGraph::Id scores, CudnnGraph::Id hidden) {
    const Extents all = scores_of(of);
    const auto row = inner(graph, all, CUDNN_DATA_INT32);
    const auto column = inner(graph, all, CUDNN_DATA_INT32);
    const auto seen = inner(graph, all, CUDNN_DATA_BOOLEAN);
    const auto out = inner(graph, all);
    graph.pointwise({.mode = CUDNN_POINTWISE_GEN_INDEX, .x = scores, .y = row, .axis = 2, .compute = CUDNN_DATA_INT32});
    graph.pointwise(
        {.mode = CUDNN_POINTWISE_GEN_INDEX, .x = scores, .y = column, .axis = 3, .compute = CUDNN_DATA_INT32});
    graph.pointwise({.mode = CUDNN_POINTWISE_CMP_GE, .x = row, .y = seen, .b = column, .compute = CUDNN_DATA_BOOLEAN});
    graph.pointwise({.mode = CUDNN_POINTWISE_BINARY_SELECT, .x = scores, .y = out, .b = hidden, .mask = seen});
    return out;
}

/// How operands are stored; throws where cuDNN has no fused attention for the shape.
cudnnDataType_t attention_type(const AttentionShape& of, Precision precision) {
    const cudnnDataType_t stored = type_of(precision, "attention");
    if (stored == CUDNN_DATA_FLOAT) {
        throw CannotMeasure("fused attention is measured in fp16 and bf16: cuDNN has no kernels for wider operands");
    }
    if (of.kv_heads < 1 || of.heads % of.kv_heads != 0) {
        throw CannotMeasure(fmt::format("{} heads don't share {} heads of keys evenly", of.heads, of.kv_heads));
    }
    return stored;
}

}  // namespace

std::vector<std::int64_t> ConvolutionShape::output() const {
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < input.size(); ++i) {
        out.push_back((input[i] + 2 * pads[i] - (dilations[i] * (window[i] - 1) + 1)) / strides[i] + 1);
    }
    return out;
}

std::int64_t ConvolutionShape::x_elements() const { return images * channels * product(input); }

std::int64_t ConvolutionShape::w_elements() const { return filters * (channels / groups) * product(window); }

std::int64_t ConvolutionShape::y_elements() const { return images * filters * product(output()); }

ConvolutionGraph convolution_graph(const ConvolutionShape& shape, Precision precision, const std::string& direction) {
    const cudnnDataType_t type = type_of(precision, "convolution");
    const cudnnDataType_t compute = CUDNN_DATA_FLOAT;
    const Extents x = joined(shape.images, shape.channels, shape.input);
    const Extents w = joined(shape.filters, shape.channels / shape.groups, shape.window);
    const Extents y = joined(shape.images, shape.filters, shape.output());
    ConvolutionGraph all{};
    all.x = all.graph.stored(type, x, image_strides(x, shape.channels_last));
    all.w = all.graph.stored(type, w, image_strides(w, shape.channels_last));
    all.y = all.graph.stored(type, y, image_strides(y, shape.channels_last));
    const CudnnGraph::Window window{shape.pads, shape.strides, shape.dilations};
    const auto way = direction == "forward"          ? CudnnGraph::Way::forward
                     : direction == "backward-input" ? CudnnGraph::Way::backward_input
                                                     : CudnnGraph::Way::backward_weight;
    all.graph.convolve(way, all.x, all.w, all.y, window, compute);
    return all;
}

std::vector<cudnnBackendNumericalNote_t> refused_of(Precision precision) {
    if (precision == Precision::fp32) {
        return {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS};
    }
    return {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS};
}

AttentionForward attention_forward(const AttentionShape& of, Precision precision) {
    const cudnnDataType_t stored = attention_type(of, precision);
    AttentionForward all{};
    CudnnGraph& graph = all.graph;
    const Extents scores = scores_of(of);
    const Extents rows{of.batch, of.heads, of.queries, 1};
    all.q =
        graph.stored(stored, {of.batch, of.heads, of.queries, of.head}, heads_strides(of.heads, of.queries, of.head));
    all.k =
        graph.stored(stored, {of.batch, of.kv_heads, of.head, of.keys}, turned_strides(of.kv_heads, of.keys, of.head));
    all.v =
        graph.stored(stored, {of.batch, of.kv_heads, of.keys, of.head}, heads_strides(of.kv_heads, of.keys, of.head));
    all.output =
        graph.stored(stored, {of.batch, of.heads, of.queries, of.head}, heads_strides(of.heads, of.queries, of.head));
    all.statistics = graph.stored(CUDNN_DATA_FLOAT, rows, packed(rows));
    all.scale = graph.scalar();

    auto score = inner(graph, scores);
    graph.multiply(all.q, all.k, score);
    const auto scaled = inner(graph, scores);
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .x = score, .y = scaled, .b = all.scale});
    score = scaled;
    if (of.causal) {
        all.masked = graph.scalar();
        score = hide_later(graph, of, score, all.masked);
    }
    const auto most = inner(graph, rows);
    const auto shifted = inner(graph, scores);
    const auto power = inner(graph, scores);
    const auto sum = inner(graph, rows);
    const auto logarithm = inner(graph, rows);
    const auto share = inner(graph, scores, stored);
    graph.reduce(CUDNN_REDUCE_TENSOR_MAX, score, most);
    graph.pointwise({.mode = CUDNN_POINTWISE_SUB, .x = score, .y = shifted, .b = most});
    graph.pointwise({.mode = CUDNN_POINTWISE_EXP, .x = shifted, .y = power});
    graph.reduce(CUDNN_REDUCE_TENSOR_ADD, power, sum);
    graph.pointwise({.mode = CUDNN_POINTWISE_LOG, .x = sum, .y = logarithm});
    graph.pointwise({.mode = CUDNN_POINTWISE_ADD, .x = most, .y = all.statistics, .b = logarithm});
    graph.pointwise({.mode = CUDNN_POINTWISE_DIV, .x = power, .y = share, .b = sum});
    graph.multiply(share, all.v, all.output);
    return all;
}

AttentionBackward attention_backward(const AttentionShape& of, Precision precision) {
    const cudnnDataType_t stored = attention_type(of, precision);
    AttentionBackward all{};
    CudnnGraph& graph = all.graph;
    const Extents scores = scores_of(of);
    const Extents rows{of.batch, of.heads, of.queries, 1};
    const Extents queries{of.batch, of.heads, of.queries, of.head};
    const Extents keys{of.batch, of.kv_heads, of.keys, of.head};
    const Extents turned{of.batch, of.kv_heads, of.head, of.keys};
    const Extents by_query = heads_strides(of.heads, of.queries, of.head);
    const Extents by_key = heads_strides(of.kv_heads, of.keys, of.head);
    const Extents by_turned = turned_strides(of.kv_heads, of.keys, of.head);
    all.q = graph.stored(stored, queries, by_query);
    all.k = graph.stored(stored, turned, by_turned);
    all.v = graph.stored(stored, turned, by_turned);
    all.output = graph.stored(stored, queries, by_query);
    all.dout = graph.stored(stored, queries, by_query);
    all.statistics = graph.stored(CUDNN_DATA_FLOAT, rows, packed(rows));
    all.dq = graph.stored(stored, queries, by_query);
    all.dk = graph.stored(stored, keys, by_key);
    all.dv = graph.stored(stored, keys, by_key);
    all.sums = graph.stored(CUDNN_DATA_FLOAT, rows, packed(rows));
    all.dq_sums = graph.stored(CUDNN_DATA_FLOAT, queries, packed(queries));
    all.scale = graph.scalar();
    all.one = graph.scalar();

    // sums = sum over the head of dO O
    const auto products = inner(graph, queries);
    const auto reduced = inner(graph, rows);
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .x = all.dout, .y = products, .b = all.output});
    graph.reduce(CUDNN_REDUCE_TENSOR_ADD, products, reduced);
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .x = reduced, .y = all.sums, .b = all.one});

    // P = exp(scale Q K^T - statistics), again
    const auto score = inner(graph, scores);
    const auto scaled = inner(graph, scores);
    auto shifted = inner(graph, scores);
    graph.multiply(all.q, all.k, score);
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .x = score, .y = scaled, .b = all.scale});
    graph.pointwise({.mode = CUDNN_POINTWISE_SUB, .x = scaled, .y = shifted, .b = all.statistics});
    if (of.causal) {
        all.masked = graph.scalar();
        shifted = hide_later(graph, of, shifted, all.masked);
    }
    const auto share = inner(graph, scores);
    graph.pointwise({.mode = CUDNN_POINTWISE_EXP, .x = shifted, .y = share});

    // A product whose result keys and values share over the heads that read them.
    const Extents turned_scores{of.batch, of.heads, of.keys, of.queries};
    const Extents turned_by{of.heads * of.queries * of.keys, of.queries * of.keys, 1, of.keys};
    const Extents all_heads{of.batch, of.heads, of.keys, of.head};
    const auto of_keys = [&](CudnnGraph::Id from, CudnnGraph::Id by, CudnnGraph::Id to) {
        const auto transposed = graph.inner(stored, turned_scores, turned_by);
        graph.reshape(from, transposed);
        if (of.heads == of.kv_heads) {
            graph.multiply(transposed, by, to);
            return;
        }
        const auto each = inner(graph, all_heads, stored);
        graph.multiply(transposed, by, each);
        graph.reduce(CUDNN_REDUCE_TENSOR_ADD, each, to);
    };
    of_keys(share, all.dout, all.dv);  // dV = P^T dO

    // dS = scale (dO V^T - sums) P
    const auto dshare = inner(graph, scores);
    const auto centred = inner(graph, scores);
    const auto weighted = inner(graph, scores);
    const auto dscore = inner(graph, scores, stored);
    graph.multiply(all.dout, all.v, dshare);
    graph.pointwise({.mode = CUDNN_POINTWISE_SUB, .x = dshare, .y = centred, .b = all.sums});
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .x = centred, .y = weighted, .b = share});
    graph.pointwise({.mode = CUDNN_POINTWISE_MUL, .x = weighted, .y = dscore, .b = all.scale});
    of_keys(dscore, all.q, all.dk);  // dK = dS^T Q

    const auto k_rows = graph.inner(stored, keys, by_key);
    graph.reshape(all.k, k_rows);
    graph.multiply(dscore, k_rows, all.dq_sums);  // dQ = dS K
    graph.pointwise({.mode = CUDNN_POINTWISE_IDENTITY, .x = all.dq_sums, .y = all.dq});
    return all;
}

}  // namespace dodona::calibrate::cuda
