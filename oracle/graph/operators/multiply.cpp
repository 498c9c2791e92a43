// Product of two tensors, element by element.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

/// Features of a token with one factor: all, as with the gate of an expert that all tokens share (Qwen2-MoE), or those of a
/// head (Qiu et al., arXiv:2505.06708, section 2.2); 0: it is no such gate.
Extent features_of_gate(const Tensor& gate, const Tensor& tokens) {
    std::vector<TensorDimension> due = tokens.dimensions;
    if (due.back().name != "feature" || gate.dimensions.empty() || gate.dimensions.back().name != "feature") {
        return 0;
    }
    const Extent gates = due.back().extent = gate.dimensions.back().extent;
    return gate.dimensions == due && tokens.dimensions.back().extent % gates == 0
               ? tokens.dimensions.back().extent / gates
               : 0;
}

/// y = x1 * x2; dx1 = dy * x2, dx2 = dy * x1. The shapes are equal, or x2 has one number a channel of the image x1
/// (squeeze-and-excitation: Hu et al., arXiv:1709.01507, equation 4), or one a token or head of x1: its gradient is then a
/// sum over positions or features, partial where they are split.
Nest build_multiply(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent of_gate = inputs[1].dimensions != x.dimensions ? features_of_gate(inputs[1], x) : 0;
    const bool gate = of_gate > 0;
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
    if (gate && inputs[1].dimensions.back().extent > 1) {
        nest.loops.back().granule = of_gate;
    } else if (gate) {
        nest.inputs[1].loops.back() = kNoLoop;
    } else if (scale) {
        nest.inputs[1].loops = {0, 1};
    }
    nest.saved = {{.what = Saved::What::input, .operand = 0}, {.what = Saved::What::input, .operand = 1}};
    const bool of_heads = gate && inputs[1].dimensions.back().extent > 1;
    nest.work = [scale, shared, of_heads, run = static_cast<double>(of_gate)](const LocalExtents& local) {
        const double elements = volume(local);
        const double factors = of_heads ? elements / run : scale ? volume_of_first(local, shared) : elements;
        // Forward reads both and writes y; backward reads both and dy and writes two gradients.
        Kernel forward = stream(2 * elements + factors);
        forward.flops = elements * unit::flop;
        Kernel backward = stream(3 * elements + 2 * factors);
        backward.flops = (scale ? 3 : 2) * elements * unit::flop;
        return Work{.forward = {forward}, .backward_input = {backward}};
    };
    return nest;
}

}  // namespace dodona::graph
