// Element-wise activations: memory-bound passes. Operation counts per element are small and rounded; the bytes decide.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

/// y = f(x): forward reads x and writes y; backward reads dy and what was saved and writes dx.
Nest unary(Attributes& attributes, const Tensor& x, Saved::What saved, double flops_per_element,
           Primitive primitive = Primitive::none, const Unfused& unfused = {}) {
    if (!has_features(attributes, x)) {
        return {};
    }
    Nest nest = element_wise(x, 1);
    nest.saved = {{.what = saved}};
    nest.work = [flops_per_element, primitive, unfused](const LocalExtents& local) {
        const double elements = volume(local);
        const Work work{.forward = {stream(2 * elements, flops_per_element)},
                        .backward_input = {stream(3 * elements, flops_per_element)}};
        return unfused_as(unfused, of_primitive(primitive, work));
    };
    return nest;
}

}  // namespace

/// y = max(x, 0). Its sign is known from the output, which the next layer keeps anyway.
Nest build_relu(Attributes& attributes, std::span<const Tensor> inputs) {
    return unary(attributes, inputs[0], Saved::What::output, 1, Primitive::relu);
}

/// y = x * Phi(x), or by tanh as OpenAI's GPT-2 has it. Source: Hendrycks and Gimpel, arXiv:1606.08415, section 2.
Nest build_gelu(Attributes& attributes, std::span<const Tensor> inputs) {
    // huggingface/transformers: activations.py, NewGELUActivation: eight operators, in fp32 under autocast for the sake of pow,
    // and 15 backward move some 220 bytes an element, where one kernel each way moves 2 and 3 numbers.
    constexpr Unfused kByTanh{.kernels = 11, .traffic = 11, .in_fp32 = true};
    const bool by_tanh = attributes.word("form", {"erf", "tanh"}, "erf") == "tanh";
    return unary(attributes, inputs[0], Saved::What::input, 8, Primitive::gelu, by_tanh ? kByTanh : Unfused{});
}

/// y = x / (1 + exp(-x)). Source: Elfwing et al., arXiv:1702.03118.
Nest build_silu(Attributes& attributes, std::span<const Tensor> inputs) {
    return unary(attributes, inputs[0], Saved::What::input, 4, Primitive::silu);
}

/// y = 1 / (1 + exp(-x)), dx = dy * y * (1 - y): the output is enough.
Nest build_sigmoid(Attributes& attributes, std::span<const Tensor> inputs) {
    return unary(attributes, inputs[0], Saved::What::output, 4, Primitive::sigmoid);
}

/// dx = dy * (1 - y^2): the output is enough.
Nest build_tanh(Attributes& attributes, std::span<const Tensor> inputs) {
    return unary(attributes, inputs[0], Saved::What::output, 6, Primitive::tanh);
}

/// y = max(x, slope * x), in place as its networks use it: the sign is known from the output.
/// Source: Maas et al., ICML Workshop 2013; in place: torch.nn.LeakyReLU, derivatives.yaml "self_or_result".
Nest build_leaky_relu(Attributes& attributes, std::span<const Tensor> inputs) {
    return unary(attributes, inputs[0], Saved::What::output, 2);
}

/// y = max(x, 0)^2, dx = 2 * max(x, 0) * dy. Source: So et al., arXiv:2109.08668, section 3.2 (Primer).
Nest build_relu_squared(Attributes& attributes, std::span<const Tensor> inputs) {
    return unary(attributes, inputs[0], Saved::What::input, 2);
}

/// y = f(gate) * up. Source: Shazeer, arXiv:2002.05202 (`sigmoid` is Dauphin et al.'s, arXiv:1612.08083). Forward reads
/// two and writes one; backward reads gate, up and dy and writes two.
Nest build_gated(Attributes& attributes, std::span<const Tensor> inputs) {
    const std::string activation = attributes.word("activation", {"silu", "gelu", "relu", "sigmoid"}, "silu");
    if (!has_features(attributes, inputs[0]) || !same_shapes(attributes, inputs)) {
        return {};
    }
    const double flops = activation == "gelu" ? 9 : activation == "relu" ? 2 : 5;
    Nest nest = element_wise(inputs[0], 2);
    nest.saved = {{.what = Saved::What::input, .operand = 0, .gated = true},
                  {.what = Saved::What::input, .operand = 1, .gated = true}};
    // An activation and a product of 10 bytes an element in 16 bits forward and 18 backward, where one kernel moves 6 and 10.
    const Unfused by_operators{.kernels = 2, .traffic = 1.75};
    nest.work = [flops, by_operators](const LocalExtents& local) {
        const double elements = volume(local);
        return unfused_as(by_operators, {.forward = {stream(3 * elements, flops / 3)},
                                         .backward_input = {stream(5 * elements, flops / 3)}});
    };
    return nest;
}

}  // namespace dodona::graph
