#include "lab/executor/lstm.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/diagnostic.hpp"

namespace dodona::calibrate {

namespace {

using threads::OperatorGraph;

constexpr std::int64_t kGates = 4;

[[noreturn]] void refuse() {
    fail({}, "only networks that are one LSTM in one direction are run",
         "such as `layers: [{name: lstm, op: lstm, layers: 4, hidden: 1024}]`; `dodona threads` predicts others");
}

/// The kernel of a step in a cell, and the product with what it reads.
struct CellKernels {
    graph::Kernel product;
    graph::Kernel step;
};

CellKernels cell_kernels_of(const threads::OperatorKind& kind) {
    const bool is_cell = kind.kernels.size() == 2 && kind.kernels[0].kind == graph::KernelKind::matmul &&
                         kind.kernels[1].kind == graph::KernelKind::recurrent;
    if (!is_cell) {
        refuse();
    }
    return {kind.kernels[0], kind.kernels[1]};
}

/// What cell (l, t) waits for in one direction.
std::vector<std::size_t> expected_before(std::size_t cell, std::size_t steps) {
    std::vector<std::size_t> before;
    if (cell % steps != 0) {
        before.push_back(cell - 1);
    }
    if (cell >= steps) {
        before.push_back(cell - steps);
    }
    return before;
}

Eigen::MatrixXf drawn(std::int64_t rows, std::int64_t columns, float scale, std::mt19937& random) {
    std::uniform_real_distribution<float> number(-scale, scale);
    Eigen::MatrixXf made(rows, columns);
    for (float& each : made.reshaped()) {
        each = number(random);
    }
    return made;
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

LstmShape lstm_shape(const OperatorGraph& graph) {
    const auto steps = static_cast<std::size_t>(std::count_if(
        graph.operators.begin(), graph.operators.end(), [](const threads::Operator& one) { return one.kind == 0; }));
    const CellKernels first = cell_kernels_of(graph.kinds.front());
    for (const threads::OperatorKind& kind : graph.kinds) {
        cell_kernels_of(kind);
    }
    for (std::size_t cell = 0; cell < graph.operators.size(); ++cell) {
        std::vector<std::size_t> after = graph.operators[cell].after;
        std::sort(after.rbegin(), after.rend());
        if (graph.kinds.size() > 2 || after != expected_before(cell, steps)) {
            refuse();
        }
    }
    const LstmShape shape{.layers = static_cast<std::int64_t>(graph.operators.size() / steps),
                          .steps = static_cast<std::int64_t>(steps),
                          .inputs = std::llround(first.product.k),
                          .hidden = std::llround(first.step.k),
                          .samples = std::llround(first.step.m)};
    if (std::llround(first.step.n) != kGates * shape.hidden) {
        refuse();  // a GRU, or a plain RNN
    }
    return shape;
}

Lstm::Lstm(const LstmShape& shape, std::uint32_t seed) : shape_(shape) {
    std::mt19937 random(seed);
    const float scale = 1 / std::sqrt(static_cast<float>(shape.hidden));
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
        const std::int64_t inputs = layer == 0 ? shape.inputs : shape.hidden;
        of_input_.emplace_back(drawn(kGates * shape.hidden, inputs, scale, random));
        of_state_.emplace_back(drawn(kGates * shape.hidden, shape.hidden, scale, random));
    }
    for (std::int64_t step = 0; step < shape.steps; ++step) {
        words_.push_back(drawn(shape.inputs, shape.samples, 1, random));
    }
    const Eigen::MatrixXf empty = Eigen::MatrixXf::Zero(shape.hidden, shape.samples);
    states_.assign(static_cast<std::size_t>(shape.layers * shape.steps), empty);
    carried_ = states_;
}

const Eigen::MatrixXf& Lstm::below(std::size_t cell) const {
    const auto steps = static_cast<std::size_t>(shape_.steps);
    return cell < steps ? words_[cell] : states_[cell - steps];
}

void Lstm::run_part(std::size_t cell, std::int64_t part, std::int64_t parts) {
    const std::int64_t begin = shape_.hidden * part / parts;
    const std::int64_t units = shape_.hidden * (part + 1) / parts - begin;
    const auto steps = static_cast<std::size_t>(shape_.steps);
    const std::size_t layer = cell / steps;
    const bool is_first = cell % steps == 0;
    Eigen::MatrixXf gates = of_input_[layer].middleRows(kGates * begin, kGates * units) * below(cell);
    if (!is_first) {
        gates.noalias() += of_state_[layer].middleRows(kGates * begin, kGates * units) * states_[cell - 1];
    }
    for (std::int64_t sample = 0; sample < shape_.samples; ++sample) {
        for (std::int64_t unit = 0; unit < units; ++unit) {
            const float* const z = gates.data() + sample * gates.rows() + kGates * unit;
            const float before = is_first ? 0 : carried_[cell - 1](begin + unit, sample);
            const float carried = sigmoid(z[1]) * before + sigmoid(z[0]) * std::tanh(z[2]);
            carried_[cell](begin + unit, sample) = carried;
            states_[cell](begin + unit, sample) = sigmoid(z[3]) * std::tanh(carried);
        }
    }
}

}  // namespace dodona::calibrate
