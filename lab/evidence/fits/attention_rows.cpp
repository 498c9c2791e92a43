#include "lab/evidence/fits/rows.hpp"

namespace dodona::calibrate {

namespace {

Series of_cudnn(const std::string& device) {
    return {.device = device,
            .kind = graph::KernelKind::attention,
            .precision = Precision::bf16,
            .has_direction = true,
            .attention_library = cluster::AttentionLibrary::cudnn};
}

/// Queries and keys of one sample. Operations as in graph/operators/attention_kernels.cpp: two products forward, five
/// backward, of half of the square where it is causal.
struct Shape {
    double sequence, heads, key_heads, key_size, value_size;
    bool causal;
};

graph::Kernel kernel_of(const Shape& shape, graph::Direction direction) {
    const auto& [sequence, heads, key_heads, key, value, causal] = shape;
    const bool forward = direction == graph::Direction::forward;
    graph::Kernel kernel = graph::matmul(sequence, sequence, key, heads);
    kernel.kind = graph::KernelKind::attention;
    kernel.direction = direction;
    const double square = sequence * sequence * heads;
    kernel.flops = (causal ? 1 : 2) * (forward ? key + value : 3 * key + 2 * value) * square * unit::flop;
    kernel.elements = (forward ? 1 : 2) * sequence * (heads + key_heads) * (key + value);
    kernel.fixed_bytes = (forward ? 4 : 8) * heads * sequence * unit::byte;
    return kernel;
}

}  // namespace

Series training_attention(const MeasuredTable& table, graph::Direction direction, const std::string& device,
                          FlopPerSecond peak) {
    Series series = of_cudnn(device);
    series.source = "MooreThreads/SimuMax: configs/system/b200_bf16_ceperm.json, sdp_fwd and sdp_bwd";
    series.conditions = "causal; kernels of TransformerEngine 2.11, PyTorch 2.10, CUDA 13.1, traced";
    const bool forward = direction == graph::Direction::forward;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const Shape shape{.sequence = table.number(row, "sequence"),
                          .heads = table.number(row, "heads"),
                          .key_heads = table.number(row, "key_heads"),
                          .key_size = table.number(row, "key_size"),
                          .value_size = table.number(row, "value_size"),
                          .causal = true};
        // The source's shares of the peak count the whole square, backward as 2.5 times forward.
        const double square = shape.sequence * shape.sequence * shape.heads;
        const Flop counted = (forward ? 2 : 5) * (shape.key_size + shape.value_size) * square * unit::flop;
        const double share = table.number(row, forward ? "forward_share" : "backward_share");
        add(series, table.text(row, "id"), kernel_of(shape, direction), counted / (share * peak));
    }
    return series;
}

Series hopper_attention(const MeasuredTable& table, graph::Direction direction, const std::string& device) {
    Series series = of_cudnn(device);
    series.source = "Shah et al., FlashAttention-3, arXiv:2407.08608, figures 5 and 6; lab/evidence/tables/steps";
    series.conditions =
        "H100 80GB SXM5, cuDNN of 2024, fp16; kernels of training steps on an H200 and an H100, cuDNN 9.19, bf16";
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, "direction") != name_of(direction)) {
            continue;
        }
        const double size = table.number(row, "size");
        graph::Kernel kernel = kernel_of({.sequence = table.number(row, "sequence"),
                                          .heads = table.number(row, "heads"),
                                          .key_heads = table.number(row, "key_heads"),
                                          .key_size = size,
                                          .value_size = size,
                                          .causal = table.text(row, "causal") == "yes"},
                                         direction);
        const double samples = table.number(row, "batch");
        kernel.batch *= samples;
        kernel.flops *= samples;
        kernel.elements *= samples;
        kernel.fixed_bytes *= samples;
        const double rate = table.optional_number(row, "tflops");
        add(series, table.text(row, "id"), kernel,
            rate > 0 ? kernel.flops / (rate * 1_TFLOP_per_s) : table.number(row, "us") * 1_us);
    }
    return series;
}

}  // namespace dodona::calibrate
