// Losses that compare a prediction with a target of the same shape: the squared error and the (smooth) absolute error.
//
//   mean_squared_error  (x - t)^2                                                      dx = 2 (x - t) / n
//   l1_error            |x - t|, smooth near zero (Girshick, arXiv:1504.08083, eq. 3)  dx = clamp(x - t, -1, 1) / n
//
// Both numbers of a pair are kept, not their difference (PyTorch, mse_loss_backward(grad, self, target)). The result
// has one number a position: channels of an image and the last dimension of everything else are summed, partial sums
// that nobody reads where they are split. The target is the second input; it is taken for a constant, as a rule a
// network input, and its gradient has no kernel.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

Nest pairwise(Attributes& attributes, std::span<const Tensor> inputs, double flops_per_pair) {
    const Tensor& x = inputs[0];
    if (!has_features(attributes, x) || !same_shapes(attributes, inputs)) {
        return {};
    }
    Nest nest = element_wise(x, 2);
    const bool image = x.dimensions.size() > 2 && x.dimensions[1].name == "channel";
    const auto summed = static_cast<std::ptrdiff_t>(image ? 1 : x.dimensions.size() - 1);
    nest.output.loops.erase(nest.output.loops.begin() + summed);
    nest.result.dimensions.erase(nest.result.dimensions.begin() + summed);
    nest.saved = {{.what = Saved::What::input, .operand = 0}, {.what = Saved::What::input, .operand = 1}};
    nest.work = [flops_per_pair](const LocalExtents& local) {
        const double elements = volume(local);
        Kernel forward = stream(2 * elements);
        forward.flops = elements * flops_per_pair * unit::flop;
        Kernel backward = stream(3 * elements);
        backward.flops = forward.flops;
        return Work{.forward = {forward}, .backward_input = {backward}};
    };
    return nest;
}

}  // namespace

Nest build_mean_squared_error(Attributes& attributes, std::span<const Tensor> inputs) {
    return pairwise(attributes, inputs, 3);
}

Nest build_l1_error(Attributes& attributes, std::span<const Tensor> inputs) { return pairwise(attributes, inputs, 5); }

}  // namespace dodona::graph
