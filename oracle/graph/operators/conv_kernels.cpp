#include "graph/operators/conv_kernels.hpp"

namespace dodona::graph {

Work convolution(const ConvolutionShape& shape) {
    const double x = shape.positions * shape.input_ratio * shape.groups * shape.channels;
    const double w = shape.groups * shape.channels * shape.filters * shape.window_area;
    const double y = shape.positions * shape.groups * shape.filters;

    const auto product = [&](double m, double n, double k) {
        Kernel kernel = matmul(m, n, k, shape.groups);
        kernel.kind = KernelKind::convolution;
        kernel.elements = x + w + y;
        // Algorithms that gain by overlapping windows are there for two dimensions only: neither volumes nor windows of
        // 1 x 7 have a Winograd transform. NVIDIA cuDNN developer guide, cudnnConvolutionFwdAlgo_t.
        kernel.window = shape.wide == 2 ? shape.window_area / shape.input_ratio : 1;
        kernel.samples = shape.samples;
        kernel.positions = shape.positions;
        kernel.filters = shape.filters;
        return kernel;
    };
    const double reduced = shape.channels * shape.window_area;
    const Kernel forward = product(shape.positions, shape.filters, reduced);
    // dX is a product over filters for every input position; it does the same arithmetic as the forward pass.
    Kernel input = product(shape.positions * shape.input_ratio, shape.channels,
                           shape.filters * shape.window_area / shape.input_ratio);
    input.flops = forward.flops;
    return directed({.forward = {forward},
                     .backward_input = {input},
                     .backward_weight = {product(shape.filters, reduced, shape.positions)},
                     .model_forward = forward.flops});
}

}  // namespace dodona::graph
