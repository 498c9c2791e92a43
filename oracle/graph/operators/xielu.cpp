// The expanded integral of the exponential linear unit, with two learned numbers a layer.
//
//   y = a x^2 + x / 2 where x > 0,  b (e^x - 1) - b x + x / 2 elsewhere
//
// One pass forward and one backward; the gradients of a and b are sums over all elements, which backward makes as it reads
// x and dy.
// Source: Huang and Schlag, arXiv:2411.13010, section 4; huggingface/transformers: activations.py, XIELUActivation.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

Nest build_xielu(Attributes& attributes, std::span<const Tensor> inputs) {
    if (!has_features(attributes, inputs[0])) {
        return {};
    }
    Nest nest = element_wise(inputs[0], 1);
    nest.weights = {{.name = "shape", .dimensions = {{"number", 2}}, .operand = {.loops = {kNoLoop}}}};
    nest.saved = {{.what = Saved::What::input}};
    nest.work = [](const LocalExtents& local) {
        const double elements = volume(local);
        return Work{.forward = {stream(2 * elements, 8)},
                    .backward_input = {stream(3 * elements, 8)},
                    .backward_weight = {stream(2 * elements, 8)}};
    };
    return nest;
}

}  // namespace dodona::graph
