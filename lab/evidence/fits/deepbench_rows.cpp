#include <string_view>

#include "graph/operators/conv_kernels.hpp"
#include "lab/evidence/fits/rows.hpp"

namespace dodona::calibrate {

namespace {

/// Gates, and numbers a step and unit that are written beside the operands of the product: what backward needs, the
/// state, and what the next step reads (graph/operators/recurrent.cpp).
struct Cell {
    std::string_view kernel;
    double gates;
    double carried;
};
constexpr Cell kCells[] = {{"rnn_lstm", 4, 7}, {"rnn_gru", 3, 5}, {"rnn_vanilla", 1, 1}};

Series empty(const DeepBench& rows, graph::KernelKind kind) {
    Series series{.device = rows.device, .kind = kind, .precision = rows.precision};
    series.source = "deepbench_train_kernels of baidu-research/DeepBench, " + rows.gpu + ", " + rows.arithmetic;
    series.conditions = "cuDNN and cuBLAS of 2017 (T4: 2018)";
    return series;
}

bool is_of(const DeepBench& rows, std::size_t row) {
    return rows.table.text(row, "device") == rows.gpu && rows.table.text(row, "precision") == rows.arithmetic;
}

void add_row(Series& series, const DeepBench& rows, std::size_t row, const graph::Kernel& kernel) {
    add(series, rows.table.text(row, "id"), kernel, rows.table.number(row, "time_ms") * 1000 * 1_us);
}

std::string_view pass_of(graph::Direction direction) {
    switch (direction) {
        case graph::Direction::forward: return "fwd";
        case graph::Direction::backward_input: return "bwd_data";
        case graph::Direction::backward_weight: return "bwd_weight";
    }
    return "";
}

graph::Kernel convolution(const MeasuredTable& table, std::size_t row, graph::Direction direction) {
    const auto outputs = [&](const char* extent, const char* filter, const char* pad, const char* stride) {
        const double inside = table.number(row, extent) + 2 * table.optional_number(row, pad);
        return static_cast<double>(
                   static_cast<std::int64_t>((inside - table.number(row, filter)) / table.number(row, stride))) +
               1;
    };
    const double width = outputs("W", "fw", "padw", "stridew");
    const double height = outputs("H", "fh", "padh", "strideh");
    const double inputs = table.number(row, "W") * table.number(row, "H");
    const graph::Work work = graph::convolution({.positions = table.number(row, "batch") * width * height,
                                                 .channels = table.number(row, "C"),
                                                 .filters = table.number(row, "filters"),
                                                 .window_area = table.number(row, "fw") * table.number(row, "fh"),
                                                 .input_ratio = inputs / (width * height)});
    switch (direction) {
        case graph::Direction::backward_input: return work.backward_input.front();
        case graph::Direction::backward_weight: return work.backward_weight.front();
        case graph::Direction::forward: break;
    }
    return work.forward.front();
}

}  // namespace

Series deepbench_products(const DeepBench& rows) {
    Series series = empty(rows, graph::KernelKind::matmul);
    for (std::size_t row = 0; row < rows.table.rows(); ++row) {
        if (is_of(rows, row) && rows.table.text(row, "kernel") == "gemm") {
            add_row(
                series, rows, row,
                graph::matmul(rows.table.number(row, "M"), rows.table.number(row, "N"), rows.table.number(row, "K")));
        }
    }
    return series;
}

Series deepbench_convolutions(const DeepBench& rows, graph::Direction direction) {
    Series series = empty(rows, graph::KernelKind::convolution);
    series.has_direction = true;
    for (std::size_t row = 0; row < rows.table.rows(); ++row) {
        if (is_of(rows, row) && rows.table.text(row, "kernel") == "conv" &&
            rows.table.text(row, "pass") == pass_of(direction)) {
            add_row(series, rows, row, convolution(rows.table, row, direction));
        }
    }
    return series;
}

// The benchmark feeds its input to the gates as it is (CUDNN_SKIP_INPUT): a step is the product with the state alone.
Series deepbench_recurrences(const DeepBench& rows) {
    Series series = empty(rows, graph::KernelKind::recurrent);
    for (std::size_t row = 0; row < rows.table.rows(); ++row) {
        const std::string& pass = rows.table.text(row, "pass");
        for (const Cell& cell : kCells) {
            if (!is_of(rows, row) || rows.table.text(row, "kernel") != cell.kernel || pass == "bwd_weight") {
                continue;
            }
            const double hidden = rows.table.number(row, "hidden");
            const double samples = rows.table.number(row, "batch");
            const double gates = cell.gates * hidden;
            graph::Kernel kernel =
                pass == "fwd" ? graph::matmul(samples, gates, hidden) : graph::matmul(samples, hidden, gates);
            kernel.kind = graph::KernelKind::recurrent;
            kernel.direction = pass == "fwd" ? graph::Direction::forward : graph::Direction::backward_weight;
            kernel.elements += cell.carried * samples * hidden;
            kernel.times = rows.table.number(row, "timesteps");
            add_row(series, rows, row, kernel);
        }
    }
    return series;
}

}  // namespace dodona::calibrate
