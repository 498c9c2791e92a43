// Pooling: the maximum or the mean under a sliding window, or the mean over a whole image.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr std::size_t kFirstSpatial = 2;

struct Passes {
    double reads_per_output;  ///< input positions per output position
    double flops_per_output;  ///< window area
    bool indices;             ///< an 8-byte position is kept for each output
};

/// Forward reads x and writes y; backward reads dy and writes dx.
Work work(const LocalExtents& local, const Passes& passes) {
    const double outputs = volume(local);
    const double elements = outputs * (1 + passes.reads_per_output);
    const Bytes indices = passes.indices ? 8 * outputs * unit::byte : Bytes{};
    Kernel forward = stream(elements, 0, indices);
    forward.flops = outputs * passes.flops_per_output * unit::flop;
    Kernel backward = stream(elements, 0, indices);
    backward.flops = passes.indices ? outputs * unit::flop : forward.flops;
    return {.forward = {forward}, .backward_input = {backward}};
}

Nest windowed(Attributes& attributes, const Tensor& x, bool indices, Primitive primitive) {
    const ImageGeometry geometry = image_geometry(attributes, x, WindowKind::pooling);
    if (geometry.windows.empty()) {
        return {};
    }
    Tensor pooled = x;
    Passes passes{.reads_per_output = 1, .flops_per_output = 1, .indices = indices};
    std::vector<std::optional<Window>> windows(kFirstSpatial);
    for (std::size_t i = 0; i < geometry.windows.size(); ++i) {
        pooled.dimensions[kFirstSpatial + i].extent = geometry.outputs[i];
        windows.emplace_back(geometry.windows[i]);
        passes.reads_per_output *= static_cast<double>(geometry.inputs[i]) / static_cast<double>(geometry.outputs[i]);
        passes.flops_per_output *= static_cast<double>(geometry.windows[i].kernel);
    }
    Nest nest = element_wise(pooled, 1);
    nest.inputs[0].windows = windows;
    nest.work = [passes, primitive](const LocalExtents& local) { return of_primitive(primitive, work(local, passes)); };
    return nest;
}

}  // namespace

/// y[o] = max over k of x[s*o - p + k]. Keeps each maximum's position and, like PyTorch's max_pool2d_with_indices, its
/// input.
Nest build_max_pool(Attributes& attributes, std::span<const Tensor> inputs) {
    Nest nest = windowed(attributes, inputs[0], true, Primitive::max_pool);
    nest.saved = {{.what = Saved::What::input},
                  {.what = Saved::What::internal,
                   .name = "positions",
                   .element = Element::index,
                   .loops = all_loops(nest.loops.size())}};
    return nest;
}

/// y[o] = 1/|k| * sum over k of x[s*o - p + k]. Its gradient needs nothing saved.
Nest build_average_pool(Attributes& attributes, std::span<const Tensor> inputs) {
    Nest nest = windowed(attributes, inputs[0], false, Primitive::average_pool);
    nest.linear = true;
    return nest;
}

/// y[b, c] = mean over all positions of x[b, c, ...]: a partial sum where an image is split.
Nest build_global_pool(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    if (!is_image(attributes, x)) {
        return {};
    }
    Nest nest = element_wise(x, 1);
    nest.output = {.loops = {0, 1}};
    nest.result.dimensions = {x.dimensions[0], {"feature", x.dimensions[1].extent}};
    nest.linear = true;
    nest.work = [](const LocalExtents& local) {
        const Kernel pass = stream(volume(local) + volume_of_first(local, 2));
        return Work{.forward = {pass}, .backward_input = {pass}};
    };
    return nest;
}

}  // namespace dodona::graph
