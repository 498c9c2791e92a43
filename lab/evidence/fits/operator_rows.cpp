#include <cmath>
#include <string_view>

#include "lab/evidence/fits/rows.hpp"

namespace dodona::calibrate {

namespace {

using graph::Direction;
using graph::Kernel;

/// Eager operators shorter than this show the host's launches (README of the measurements: below about 100 us).
constexpr double kLeastEagerMicroseconds = 150;

struct Row {
    double b, l, h, dim, tp;
};

Row read(const MeasuredTable& table, std::size_t row) {
    const auto number = [&](std::string_view column) { return table.optional_number(row, column); };
    return {
        .b = number("b"), .l = number("l"), .h = number("h"), .dim = number("dim"), .tp = std::max(1.0, number("tp"))};
}

/// Words padded to 128 a rank: the benchmark's vocabulary of 50,257.
double words(double tp) { return std::ceil(50257 / (128 * tp)) * 128; }

/// Of a linear layer: tokens x in -> out; of unfused attention: products of heads. m = 0: no product.
Kernel product(const std::string& op, const Row& r) {
    const double tokens = r.b * r.l;
    if (op == "linear1") {
        return graph::matmul(tokens, 3 * r.dim / r.tp, r.dim);
    }
    if (op == "linear2") {
        return graph::matmul(tokens, r.dim, r.dim / r.tp);
    }
    if (op == "linear3") {
        return graph::matmul(tokens, 4 * r.dim / r.tp, r.dim);
    }
    if (op == "linear4") {
        return graph::matmul(tokens, r.dim, 4 * r.dim / r.tp);
    }
    if (op == "linear_final") {
        return graph::matmul(tokens, words(r.tp), r.dim);
    }
    if (op == "baddbmm") {
        return graph::matmul(r.l, r.l, r.dim / r.h, r.b * r.h / r.tp);
    }
    if (op == "bmm") {
        return graph::matmul(r.l, r.dim / r.h, r.l, r.b * r.h / r.tp);
    }
    return {};
}

BackwardSample backward_of(const Kernel& forward, Seconds time) {
    BackwardSample sample{graph::matmul(forward.m, forward.k, forward.n, forward.batch),
                          graph::matmul(forward.n, forward.k, forward.m, forward.batch), time};
    sample.input.direction = Direction::backward_input;
    sample.weight.direction = Direction::backward_weight;
    return sample;
}

Series empty(const Operators& rows, graph::KernelKind kind) {
    Series series{.device = rows.device, .kind = kind, .precision = Precision::fp16};
    series.source = "transformer_operators_a100_gh200 of DebarghaG/estimate-train-time, " + rows.gpu;
    series.conditions = "PyTorch, profiler's kernel times; flash-attn 2";
    return series;
}

/// Numbers read and written by operators of one kernel that memory bounds, forward; 0 for others. (The source's gelu is
/// bound by its error function: 10 to 30 % slower than either.)
double elements(const std::string& op, const Row& r) {
    if (op == "res_add") {
        return 3 * r.b * r.l * r.dim;
    }
    return op == "ScaledUpperTriangMaskedSoftmax" ? 2 * r.b * r.h * r.l * r.l / r.tp : 0;
}

/// "seq2048 d5120 ffn20480 heads40 vocab51200"
double word_of(const std::string& shape, std::string_view key) {
    const std::size_t at = (" " + shape).find(" " + std::string(key));
    return at == std::string::npos ? 0 : std::strtod(shape.c_str() + at + key.size(), nullptr);
}

Series empty_aceso(const std::string& device, graph::KernelKind kind) {
    Series series{.device = device, .kind = kind, .precision = Precision::fp16};
    series.source = "aceso_v100_operators of microsoft/SuperScaler";
    series.conditions = "V100-32GB, eager PyTorch, one rank; operators of 150 us and more";
    return series;
}

}  // namespace

Series operator_products(const Operators& rows) {
    Series series = empty(rows, graph::KernelKind::matmul);
    for (std::size_t row = 0; row < rows.table.rows(); ++row) {
        const std::string& op = rows.table.text(row, "op");
        const Kernel kernel = rows.table.text(row, "gpu") == rows.gpu ? product(op, read(rows.table, row)) : Kernel{};
        if (kernel.m <= 0) {
            continue;
        }
        add(series, rows.table.text(row, "id"), kernel, rows.table.number(row, "fwd_us") * 1_us);
        if (op.starts_with("linear")) {
            series.backward.push_back(backward_of(kernel, rows.table.number(row, "bwd_us") * 1_us));
        }
    }
    return series;
}

// flash_attn_func(q, k, v) without a mask: the whole square.
Series operator_attention(const Operators& rows, Direction direction) {
    Series series = empty(rows, graph::KernelKind::attention);
    series.has_direction = true;
    series.attention_library = cluster::AttentionLibrary::flash_attention_2;
    const bool forward = direction == Direction::forward;
    for (std::size_t row = 0; row < rows.table.rows(); ++row) {
        if (rows.table.text(row, "gpu") != rows.gpu || rows.table.text(row, "op") != "flash_atten") {
            continue;
        }
        const Row r = read(rows.table, row);
        Kernel kernel = graph::matmul(r.l, r.l, r.dim / r.h, r.b * r.h / r.tp);
        kernel.kind = graph::KernelKind::attention;
        kernel.direction = direction;
        kernel.flops *= forward ? 2 : 5;  // products over the square, as in graph/operators/attention_kernels.cpp
        kernel.elements = (forward ? 4 : 8) * r.b * r.l * r.dim / r.tp;
        kernel.fixed_bytes = (forward ? 4 : 8) * kernel.batch * r.l * unit::byte;
        add(series, rows.table.text(row, "id"), kernel, rows.table.number(row, forward ? "fwd_us" : "bwd_us") * 1_us);
    }
    return series;
}

Series operator_streams(const Operators& rows) {
    Series series = empty(rows, graph::KernelKind::stream);
    series.conditions = "residual addition and fused masked softmax, forward";
    for (std::size_t row = 0; row < rows.table.rows(); ++row) {
        if (rows.table.text(row, "gpu") != rows.gpu) {
            continue;
        }
        const double moved = elements(rows.table.text(row, "op"), read(rows.table, row));
        if (moved > 0) {
            add(series, rows.table.text(row, "id"), graph::stream(moved, 0), rows.table.number(row, "fwd_us") * 1_us);
        }
    }
    return series;
}

Series operator_gathers(const Operators& rows) {
    Series series = empty(rows, graph::KernelKind::gather);
    series.conditions = "PyTorch's embedding, forward: rows read and written";
    for (std::size_t row = 0; row < rows.table.rows(); ++row) {
        if (rows.table.text(row, "gpu") != rows.gpu || rows.table.text(row, "op") != "embedding") {
            continue;
        }
        const Row r = read(rows.table, row);
        const Kernel kernel{.kind = graph::KernelKind::gather, .n = r.dim, .elements = 2 * r.b * r.l * r.dim};
        add(series, rows.table.text(row, "id"), kernel, rows.table.number(row, "fwd_us") * 1_us);
    }
    return series;
}

Series aceso_products(const MeasuredTable& table, const std::string& device) {
    Series series = empty_aceso(device, graph::KernelKind::matmul);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string& shape = table.text(row, "model_params_or_shape");
        const std::string& op = table.text(row, "op_name");
        const bool first = table.text(row, "tp") == "1" && table.text(row, "algo") == "0";
        if (!first || !table.text(row, "model").starts_with("gpt") ||
            table.optional_number(row, "fwd_us") < kLeastEagerMicroseconds) {
            continue;
        }
        const double d = word_of(shape, "d");
        const double inner = word_of(shape, "ffn");
        const double tokens = table.number(row, "microbatch") * word_of(shape, "seq");
        const Kernel kernel = op == "enc-attention-qkv"     ? graph::matmul(tokens, 3 * d, d)
                              : op == "enc-attention-dense" ? graph::matmul(tokens, d, d)
                              : op == "enc-MLP-GEMM-1"      ? graph::matmul(tokens, inner, d)
                              : op == "enc-MLP-GEMM-2"      ? graph::matmul(tokens, d, inner)
                                                            : Kernel{};
        if (kernel.m > 0) {
            add(series, table.text(row, "id"), kernel, table.number(row, "fwd_us") * 1_us);
            series.backward.push_back(backward_of(kernel, table.number(row, "bwd_us") * 1_us));
        }
    }
    return series;
}

Series aceso_streams(const MeasuredTable& table, const std::string& device) {
    Series series = empty_aceso(device, graph::KernelKind::stream);
    series.conditions = "gelu, forward; " + series.conditions;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string& shape = table.text(row, "model_params_or_shape");
        if (table.text(row, "op_name") != "enc-MLP-gelu" || !table.text(row, "model").starts_with("gpt") ||
            table.text(row, "algo") != "0" || table.optional_number(row, "fwd_us") < kLeastEagerMicroseconds) {
            continue;
        }
        const double moved = 2 * table.number(row, "microbatch") * word_of(shape, "seq") * word_of(shape, "ffn") /
                             table.number(row, "tp");
        add(series, table.text(row, "id"), graph::stream(moved, 0), table.number(row, "fwd_us") * 1_us);
    }
    return series;
}

}  // namespace dodona::calibrate
