// A step of recurrent cells as a framework without fused cells runs it: a product, then one small pass after another.
//
// Source of the passes: PyTorch 1.13, aten/src/ATen/native/RNN.cpp, LSTMCell, GRUCell and SimpleCell.
#include <fmt/format.h>

#include "calibrate/cpu/benchmarks.hpp"
#include "calibrate/cpu/passes.hpp"
#include "calibrate/cpu/sgemm.hpp"
#include "calibrate/cpu/threads.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

struct CellShape {
    std::int64_t samples, gates, hidden;  ///< gates of one unit: 4 LSTM, 3 GRU, 1 RNN
    [[nodiscard]] std::int64_t units() const { return samples * hidden; }
};

/// No run reads what one before it wrote: numbers that are multiplied again and again become denormal, and slow.
struct CellTensors {
    Floats state, weights, gates, inputs, carried;                 ///< read
    Floats scratch, joined, next, more, product, weight_gradient;  ///< written
    std::vector<Job> activations;                                  ///< one sigmoid or tanh over `units` after the other
};

int products_of(std::int64_t gates) { return gates == 4 ? 4 : gates == 3 ? 3 : 0; }

CellTensors tensors_of(const CellShape& cell, bool backward, const TensorFactory& factory) {
    const std::int64_t all = cell.units() * cell.gates;
    CellTensors tensors{.state = factory.random(cell.units()),
                        .weights = factory.random(cell.hidden * cell.hidden * cell.gates),
                        .gates = factory.random(all),
                        .inputs = factory.random(all),
                        .carried = factory.random(cell.units()),
                        .scratch = factory.random(all),
                        .joined = factory.random(all),
                        .next = factory.random(cell.units()),
                        .more = factory.random(cell.units()),
                        .product = factory.random(all),
                        .weight_gradient = {},
                        .activations = {}};
    if (backward) {
        tensors.weight_gradient = factory.random(cell.hidden * cell.hidden * cell.gates);
        return tensors;
    }
    // sigmoids of the gates, tanh of the candidate; an LSTM takes the tanh of what it carries too
    for (std::int64_t gate = 1; gate < cell.gates; ++gate) {
        tensors.activations.push_back(onednn_activation("sigmoid", cell.units(), false, Precision::fp32, factory));
    }
    for (int i = 0; i < (cell.gates == 4 ? 2 : 1); ++i) {
        tensors.activations.push_back(onednn_activation("tanh", cell.units(), false, Precision::fp32, factory));
    }
    return tensors;
}

void whole(std::int64_t elements, const std::function<void(Range)>& pass) {
    in_parts(elements, [&](std::int64_t begin, std::int64_t end) { pass({begin, end}); });
}

void step_forward(const CellShape& cell, const CellTensors& t, Laps& laps) {
    sgemm({.transpose_b = true, .m = cell.samples, .n = cell.gates * cell.hidden, .k = cell.hidden}, t.state.get(),
          t.weights.get(), t.product.get());
    laps.lap("product");
    whole(cell.units() * cell.gates, [&](Range r) { add_pass(r, t.product.get(), t.inputs.get(), t.product.get()); });
    for (const Job& activation : t.activations) {
        activation.run(laps);
    }
    for (int i = 0; i < products_of(cell.gates); ++i) {
        whole(cell.units(), [&](Range r) {
            multiply_pass(r, t.gates.get() + i % 2 * cell.units(), t.carried.get(), t.scratch.get());
        });
    }
    if (cell.gates > 1) {
        whole(cell.units(), [&](Range r) { add_pass(r, t.scratch.get(), t.carried.get(), t.next.get()); });
    }
    laps.lap("gates");
}

void step_backward(const CellShape& cell, const CellTensors& t, Laps& laps) {
    const std::int64_t units = cell.units();
    for (std::int64_t gate = 0; gate < cell.gates; ++gate) {
        const auto back = gate == 0 ? tanh_backward_pass : sigmoid_backward_pass;
        const float* const of_gate = t.gates.get() + gate * units;
        float* const gradient = t.scratch.get() + gate * units;
        whole(units, [&](Range r) { back(r, t.state.get(), of_gate, gradient); });
        if (cell.gates > 1) {  // each gate multiplies: its gradient, and that of what it gates
            whole(units, [&](Range r) { multiply_pass(r, t.carried.get(), of_gate, t.more.get()); });
            whole(units, [&](Range r) { multiply_pass(r, t.carried.get(), t.state.get(), t.next.get()); });
        }
    }
    if (cell.gates > 1) {
        whole(units, [&](Range r) { add_pass(r, t.more.get(), t.carried.get(), t.more.get()); });
        whole(units * cell.gates, [&](Range r) { copy_pass(r, t.scratch.get(), t.joined.get()); });
    }
    laps.lap("gates");
    sgemm({.m = cell.samples, .n = cell.hidden, .k = cell.gates * cell.hidden}, t.joined.get(), t.weights.get(),
          t.next.get());
    laps.lap("product");
}

/// What automatic differentiation adds a step and the case does not count: the step's own weight gradient, and adding
/// it to those of the steps before.
void step_weight_gradient(const CellShape& cell, const CellTensors& t, const Floats& sum) {
    sgemm({.transpose_a = true, .m = cell.gates * cell.hidden, .n = cell.hidden, .k = cell.samples}, t.gates.get(),
          t.state.get(), t.weight_gradient.get());
    whole(cell.gates * cell.hidden * cell.hidden,
          [&](Range r) { add_pass(r, sum.get(), t.weight_gradient.get(), sum.get()); });
}

}  // namespace

Job recurrent(const Case& asked, const TensorFactory& factory) {
    const bool backward = direction_of(asked) != Pass::forward;
    const std::int64_t gates = count(asked, "gates");
    const std::int64_t inputs = count(asked, "inputs");
    const std::int64_t wide = backward ? inputs : gates;
    const std::int64_t hidden = backward ? gates : inputs;
    const std::int64_t of_a_unit = wide / hidden;
    if (wide % hidden != 0 || (of_a_unit != 1 && of_a_unit != 3 && of_a_unit != 4)) {
        throw CannotMeasure(
            fmt::format("{} gates of {} units are neither an LSTM (4 a unit), a GRU (3) nor an RNN (1); "
                        "forward is gates = 4 x inputs, backward inputs = 4 x gates",
                        wide, hidden));
    }
    if (precision_of(asked) != Precision::fp32) {
        throw CannotMeasure("the CPU back end measures recurrent cells in fp32 only; leave `precision` out");
    }
    const CellShape cell{.samples = count(asked, "samples"), .gates = of_a_unit, .hidden = hidden};
    std::vector<CellTensors> cells;
    for (std::int64_t i = 0; i < count(asked, "cells", 1); ++i) {
        cells.push_back(tensors_of(cell, backward, factory));
    }
    Job job{.run =
                [=](Laps& laps) {
                    for (const CellTensors& tensors : cells) {
                        (backward ? step_backward : step_forward)(cell, tensors, laps);
                    }
                },
            .values = {},
            .words = {{"implementation", "a product and a pass for each gate: " + blas_name()}}};
    if (backward) {
        const Floats sum = factory.zeros(hidden * wide);
        job.beside = {"weight_gradient", [=](Laps&) {
                          for (const CellTensors& tensors : cells) {
                              step_weight_gradient(cell, tensors, sum);
                          }
                      }};
    }
    return job;
}

}  // namespace dodona::calibrate::cpu
