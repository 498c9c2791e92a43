// Product of two tensors, element by element.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

/// One factor a token: the gate of an expert that all tokens share (Qwen2-MoE).
bool is_gate_of(const Tensor& gate, const Tensor& tokens) {
    std::vector<TensorDimension> due = tokens.dimensions;
    if (due.back().name != "feature") {
        return false;
    }
    due.back().extent = 1;
    return gate.dimensions == due;
}

/// y = x1 * x2; dx1 = dy * x2, dx2 = dy * x1. The shapes are equal, or x2 has one number a channel of the image x1
/// (squeeze-and-excitation: Hu et al., arXiv:1709.01507, equation 4), or one a token of x1: its gradient is then a sum over
/// positions or features, partial where they are split.
Nest build_multiply(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const bool gate = inputs[1].dimensions != x.dimensions && is_gate_of(inputs[1], x);
    const bool scale = gate || is_number_a_channel(inputs[1], x);
    if (!scale && inputs[1].dimensions != x.dimensions) {
        attributes.error(fmt::format("reads {} and {}, which do not multiply", x.shape(), inputs[1].shape()),
                         "give two tensors of one shape, an image and a feature a channel, or tokens and one feature");
        return {};
    }
    if (!has_features(attributes, x)) {
        return {};
    }
    Nest nest = element_wise(x, 2);
    const std::size_t shared = gate ? nest.loops.size() - 1 : 2;  // loops that a factor is of
    if (gate) {
        nest.inputs[1].loops.back() = kNoLoop;
    } else if (scale) {
        nest.inputs[1].loops = {0, 1};
    }
    nest.saved = {{.what = Saved::What::input, .operand = 0}, {.what = Saved::What::input, .operand = 1}};
    nest.work = [scale, shared](const LocalExtents& local) {
        const double elements = volume(local);
        const double factors = scale ? volume_of_first(local, shared) : elements;
        // Forward reads both and writes y; backward reads both and dy and writes two gradients.
        Kernel forward = stream(2 * elements + factors);
        forward.flops = elements * unit::flop;
        Kernel backward = stream(3 * elements + 2 * factors);
        backward.flops = (scale ? 3 : 2) * elements * unit::flop;
        return Work{.forward = {forward}, .backward_input = {backward}, .backward_weight = {}, .model_forward = Flop{}};
    };
    return nest;
}

}  // namespace dodona::graph
