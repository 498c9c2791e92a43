// Benchmark recurrent.
#include <cmath>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"
#include "calibrate/cuda/product.hpp"

namespace dodona::calibrate::cuda {

namespace {

struct Cell {
    Count samples, units, cells;
    int gates;  ///< of a unit

    [[nodiscard]] Count all_samples() const { return samples * cells; }
};

Cell cell_of(const Case& asked, bool backward) {
    const Count gates = positive(asked, "gates");
    const Count inputs = positive(asked, "inputs");
    const Count wide = backward ? inputs : gates;
    const Count units = backward ? gates : inputs;
    const Count of_a_unit = wide / units;
    if (wide % units != 0 || (of_a_unit != 1 && of_a_unit != 3 && of_a_unit != 4)) {
        throw CannotMeasure(
            fmt::format("{} gates of {} units are neither an LSTM (4 a unit), a GRU (3) nor an RNN (1); "
                        "forward is gates = 4 x inputs, backward inputs = 4 x gates",
                        wide, units));
    }
    return {positive(asked, "samples"), units, asked.has("cells") ? positive(asked, "cells") : 1,
            static_cast<int>(of_a_unit)};
}

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// The state that an LSTM's or a plain cell's kernel made of these gates; `memory` is what the kernel left. A GRU's
/// state was overwritten, so that only its size is known: at most 1.
double state_error(const BenchmarkContext& context, const Cell& cell, const Tensor& gates, const Tensor& memory,
                   const Tensor& state) {
    const auto g = numbers_of(context, gates);
    const auto m = numbers_of(context, memory);
    const auto s = numbers_of(context, state);
    std::vector<double> expected;
    const auto units = static_cast<std::size_t>(cell.units);
    const auto per = static_cast<std::size_t>(cell.gates);
    for (std::size_t i = 0; i < s.size(); ++i) {
        const std::size_t row = i / units * per * units + i % units;
        expected.push_back(cell.gates == 1 ? std::tanh(static_cast<double>(g[row]))
                                           : logistic(static_cast<double>(g[row + 3 * units])) *
                                                 std::tanh(static_cast<double>(m[i])));
    }
    return deviation(s, expected);
}

}  // namespace

Work prepare_recurrent(const Case& asked, BenchmarkContext& context) {
    const std::string direction = asked.word("direction", "forward");
    const bool backward = direction != "forward";
    const Cell cell = cell_of(asked, backward);
    const Precision precision = precision_of(asked);
    const Element element = element_of_precision(precision, "a recurrent step");
    if (element == Element::fp8) {
        throw CannotMeasure("a recurrent step in fp8 is not measured: no framework runs one");
    }
    const Count wide = cell.gates * cell.units;
    const ProductLayout layout = backward ? product_layout("backward-input", cell.samples, cell.units, wide)
                                          : product_layout("forward", cell.samples, wide, cell.units);
    // Gates of about one, so that none saturates; the second operand is the state, or the gates' gradient.
    const float scale = 1.0F / std::sqrt(static_cast<float>(cell.units));
    const Tensor weights = normal_tensor(context, element, cell.cells * layout.a.elements(), "the weights", scale);
    const Tensor operand = normal_tensor(context, element, cell.cells * layout.b.elements(), "the state");
    const Tensor result = zero_tensor(context, element, cell.cells * layout.c.elements(), "the product");
    const Tensor memory = normal_tensor(context, Element::fp32, cell.all_samples() * cell.units, "the cells' memory");
    const Tensor state = normal_tensor(context, element, cell.all_samples() * cell.units, "the next state");
    const Tensor gates = normal_tensor(context, element, cell.all_samples() * wide, "the gates");
    const auto product = std::make_shared<Product>(
        context, layout, Product::Types{element, element, precision == Precision::tf32, false}, cell.cells);
    (void)context.scratch_of(product->scratch());

    Work work;
    if (backward) {
        work.run = [=, &context](cudaStream_t stream) {
            gate_units_backward(element, gates.get(), memory.as<float>(), state.get(), operand.get(), cell.gates,
                                cell.all_samples(), cell.units, stream);
            product->run(context, weights.get(), operand.get(), result.get(), stream);
        };
    } else {
        work.run = [=, &context](cudaStream_t stream) {
            product->run(context, weights.get(), operand.get(), result.get(), stream);
            gate_units(element, result.get(), memory.as<float>(), state.get(), cell.gates, cell.all_samples(),
                       cell.units, stream);
        };
    }
    work.tolerance = tolerance_of(precision);
    if (is_checked(asked, weights.elements + operand.elements + result.elements)) {
        work.error = [=, &context] {
            const double of_product = product_error(context, layout, weights, operand, result);
            return backward || cell.gates == 3
                       ? of_product
                       : std::max(of_product, state_error(context, cell, result, memory, state));
        };
    }
    work.words["algorithm"] = product->algorithm();
    work.words["implementation"] = "a cublasLt product and an own kernel for the gates";
    return work;
}

}  // namespace dodona::calibrate::cuda
