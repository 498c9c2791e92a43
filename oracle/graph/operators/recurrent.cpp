// Recurrent layers: LSTM, GRU and the plain (Elman) RNN, several layers deep, in one direction or both.
//
//   gates[t] = W_x x[t] + b_x + W_h h[t-1] + b_h,   h[t] and c[t] from gates[t] element by element
//
// g gates (LSTM 4, GRU 3, RNN 1) of h numbers; two biases a gate. Parameters of a layer and direction g*h*(in + h) +
// 2*g*h. Source: torch.nn.LSTM, GRU, RNN ("Variables"; a later layer reads the h of all directions).
//
// Products with x need no state and run for all steps at once; products with h run step by step. A stack of layers runs
// as a wavefront: step t of layer l needs t of l-1 and t-1 of l, so layers + steps - 1 waves of up to min(layers,
// steps) cells do it. Both directions of a layer run side by side, but a later layer waits for both: layers * steps
// waves of two cells. Source: Appleyard et al., arXiv:1604.01946, sections 3.2 and 3.3 (the design of cuDNN's RNNs).
//
// Backward the chain of dh runs whether or not x needs a gradient; so does all between the layers. dW sums over all
// steps in one product. Kept, as backward reads them: the input; every h (the last layer's is the output); the gates
// after their non-linearity; the LSTM's c (tanh c is computed again), the GRU's W_h h of its new gate, which is
// multiplied by a gate before it is added. Biases run in the epilogues.
//
// Where `hidden` is split, every rank computes its part of all gates and h is gathered in each step and layer; that h
// is whole serves the next layer too. Backward the partial sums of dh are scattered in each. (The h of the last layer,
// kept as the output, is then counted in shards, though dW_h reads it whole.)

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr int kStep = 1, kIn = 2, kHidden = 3;

/// What distinguishes the cells.
struct Cell {
    double gates;    ///< products a step
    double kept;     ///< numbers a step and hidden unit that backward needs beside h
    double carried;  ///< further numbers that the next step reads: c
};
constexpr Cell kLstm{.gates = 4, .kept = 5, .carried = 1};
constexpr Cell kGru{.gates = 3, .kept = 4, .carried = 0};
constexpr Cell kRnn{.gates = 1, .kept = 0, .carried = 0};

struct Stack {
    Cell cell;
    double layers = 1;
    double directions = 1;
    double hidden = 1;  ///< whole

    /// Waves one after the other, and the cells of all of them.
    [[nodiscard]] double waves(double steps) const { return directions > 1 ? layers * steps : layers + steps - 1; }
    [[nodiscard]] double cells(double steps) const { return layers * directions * steps; }
};

/// One wave of m samples: `gates` numbers a sample and cell from k numbers of the state, or the other way round.
Kernel wave(const Stack& stack, double m, double n, double k, double steps, double state) {
    const double waves = stack.waves(steps);
    Kernel kernel = matmul(m, n, k, stack.cells(steps) / waves);
    kernel.kind = KernelKind::recurrent;
    kernel.elements += kernel.batch * state;
    kernel.times = waves;
    return kernel;
}

Work work(const LocalExtents& local, const Stack& stack) {
    const double samples = local[kBatch];
    const double steps = local[kStep];
    const double tokens = samples * steps;
    const double in = local[kIn];
    const double units = samples * local[kHidden];
    const double gates = stack.cell.gates * local[kHidden];
    const double below = stack.directions * stack.hidden;  // what a later layer reads
    const double later = stack.layers - 1;
    const double sides = stack.directions;
    const auto times = [](Kernel kernel, double count) {
        kernel.times = count;
        return kernel;
    };

    Work work;
    // Beside the operands of its product (weights, h, gates), a cell moves what is kept, its h and what it carries on.
    const double carried = (stack.cell.kept + 1 + stack.cell.carried) * units;
    const Kernel forward = wave(stack, samples, gates, stack.hidden, steps, carried);
    const Kernel first = matmul(tokens, sides * gates, in);
    const Kernel between = times(matmul(tokens, sides * gates, below), later);
    work.forward = {first, forward};
    work.backward_input = {matmul(tokens, in, sides * gates)};
    work.backward_weight = {wave(stack, samples, stack.hidden, gates, steps, carried),
                            matmul(sides * gates, in, tokens),
                            times(matmul(gates, stack.hidden, tokens), stack.layers * sides)};
    if (later > 0) {
        work.forward.push_back(between);
        work.backward_weight.push_back(times(matmul(tokens, below, sides * gates), later));
        work.backward_weight.push_back(times(matmul(sides * gates, below, tokens), later));
    }
    work.model_forward = first.flops + later * between.flops + forward.times * forward.flops;
    return work;
}

void add_weights(Nest& nest, const Stack& stack, Extent in, bool bias) {
    const auto rows = static_cast<Extent>(stack.cell.gates * stack.directions);
    const auto layers = static_cast<Extent>(stack.layers);
    const auto hidden = static_cast<Extent>(stack.hidden);
    const auto add = [&](const std::string& name, Extent copies, TensorDimension along, int loop) {
        nest.weights.push_back({.name = name,
                                .dimensions = {{"gate", copies}, {"hidden", hidden}, std::move(along)},
                                .operand = {.loops = {kNoLoop, kHidden, loop}}});
    };
    add("input", rows, {"in_feature", in}, kIn);
    if (layers > 1) {
        add("between", (layers - 1) * rows, {"below", static_cast<Extent>(stack.directions) * hidden}, kNoLoop);
    }
    add("recurrent", layers * rows, {"state", hidden}, kNoLoop);
    if (bias) {
        add("bias", 2 * layers * rows, {"one", 1}, kNoLoop);
    }
}

Nest recurrent(Attributes& attributes, const Tensor& x, const Cell& cell) {
    const Extent hidden = attributes.positive("hidden");
    const Extent layers = attributes.positive("layers", 1);
    const bool bidirectional = attributes.flag("bidirectional", false);
    const bool bias = attributes.flag("bias", true);
    if (!is_sequence(attributes, x)) {
        return {};
    }
    const Stack stack{.cell = cell,
                      .layers = static_cast<double>(layers),
                      .directions = bidirectional ? 2.0 : 1.0,
                      .hidden = static_cast<double>(hidden)};
    const Extent steps = x.dimensions[1].extent;
    const Extent in = x.dimensions[2].extent;

    Nest nest;
    nest.loops = {{.name = "batch"},
                  {.name = "sequence", .extent = steps, .can_split = false},
                  {.name = "in_feature", .extent = in, .can_split = false},
                  {.name = "hidden", .extent = hidden}};
    nest.inputs = {{.loops = {kBatch, kStep, kIn}}};
    nest.output = {.loops = {kBatch, kStep, kHidden}};
    nest.result = x;
    nest.result.dimensions[2].extent = bidirectional ? 2 * hidden : hidden;
    add_weights(nest, stack, in, bias);
    nest.recurrences = {{.loop = kHidden, .steps = stack.cells(static_cast<double>(steps)), .kept = {kBatch}}};

    nest.saved = {{.what = Saved::What::input, .for_weights = true}, {.what = Saved::What::output}};
    const double cells = stack.layers * stack.directions;
    if (cell.kept > 0) {
        nest.saved.push_back({.what = Saved::What::internal,
                              .name = "gates",
                              .loops = {kBatch, kStep, kHidden},
                              .factor = cells * cell.kept});
    }
    if (layers > 1) {
        nest.saved.push_back({.what = Saved::What::internal,
                              .name = "states",
                              .loops = {kBatch, kStep},
                              .factor = (stack.layers - 1) * stack.directions * stack.hidden});
    }
    nest.work = [stack](const LocalExtents& local) { return work(local, stack); };
    return nest;
}

}  // namespace

/// Source: Hochreiter and Schmidhuber, Neural Computation 9(8), 1997, with forget gates.
Nest build_lstm(Attributes& attributes, std::span<const Tensor> inputs) {
    return recurrent(attributes, inputs[0], kLstm);
}

/// Source: Cho et al., arXiv:1406.1078, in the form of cuDNN, which multiplies after the product with h.
Nest build_gru(Attributes& attributes, std::span<const Tensor> inputs) {
    return recurrent(attributes, inputs[0], kGru);
}

/// Source: Elman, Cognitive Science 14(2), 1990. Its derivative follows from h.
Nest build_rnn(Attributes& attributes, std::span<const Tensor> inputs) {
    return recurrent(attributes, inputs[0], kRnn);
}

}  // namespace dodona::graph
