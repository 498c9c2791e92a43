#include "lab/evidence/fits/rows.hpp"

namespace dodona::calibrate {

Series training_attention(const MeasuredTable& table, graph::Direction direction, const std::string& device,
                          FlopPerSecond peak) {
    Series series{.device = device, .kind = graph::KernelKind::attention, .precision = Precision::bf16};
    series.source = "MooreThreads/SimuMax: configs/system/b200_bf16_ceperm.json, sdp_fwd and sdp_bwd";
    series.conditions = "causal; kernels of TransformerEngine 2.11, PyTorch 2.10, CUDA 13.1, traced";
    series.has_direction = true;
    const bool forward = direction == graph::Direction::forward;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double sequence = table.number(row, "sequence");
        const double heads = table.number(row, "heads");
        const double key = table.number(row, "key_size");
        const double value = table.number(row, "value_size");
        graph::Kernel kernel = graph::matmul(sequence, sequence, key, heads);
        kernel.kind = graph::KernelKind::attention;
        kernel.direction = direction;
        // As in graph/operators/attention_kernels.cpp: half of the square, two products forward and five backward.
        const double square = sequence * sequence * heads;
        kernel.flops = (forward ? key + value : 3 * key + 2 * value) * square * unit::flop;
        const double operands = sequence * (heads + table.number(row, "key_heads")) * (key + value);
        kernel.elements = (forward ? 1 : 2) * operands;
        kernel.fixed_bytes = (forward ? 4 : 8) * heads * sequence * unit::byte;
        // The source's shares of the peak count the whole square, backward as 2.5 times forward.
        const Flop counted = (forward ? 2 : 5) * (key + value) * square * unit::flop;
        const double share = table.number(row, forward ? "forward_share" : "backward_share");
        add(series, table.text(row, "id"), kernel, counted / (share * peak));
    }
    return series;
}

}  // namespace dodona::calibrate
