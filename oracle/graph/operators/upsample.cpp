// A larger image: each position is repeated `factor` times along each dimension (torch.nn.Upsample, nearest).
//
// Loops count input positions, as of a transposed convolution whose window is its stride: shards do not overlap.
// Backward adds the gradients of all copies. Nothing is saved.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

Nest build_upsample(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent factor = attributes.positive("factor", 2);
    if (!is_image(attributes, x)) {
        return {};
    }
    Nest nest = element_wise(x, 1);
    nest.output.windows.assign(x.dimensions.size(), std::nullopt);
    double copies = 1;
    for (std::size_t i = 2; i < x.dimensions.size(); ++i) {
        nest.output.windows[i] = Window{.kernel = factor, .stride = factor};
        nest.result.dimensions[i].extent *= factor;
        copies *= static_cast<double>(factor);
    }
    nest.linear = true;
    nest.work = [copies](const LocalExtents& local) {
        const double moved = (1 + copies) * volume(local);
        return Work{.forward = {stream(moved, 0)}, .backward_input = {stream(moved)}};
    };
    return nest;
}

}  // namespace dodona::graph
