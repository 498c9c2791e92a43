// Transposed convolution: every input position adds a window of outputs.
//
//   Y[b, f, s*i - p + k ...] += X[b, c, i ...] W[c, f, k...],   outputs (in - 1)*s - 2*p + kernel + output_pad
//
// It is the gradient of a convolution that reads Y and writes X, so the window lies on the output and the loops count
// input positions. Source: torch.nn.ConvTranspose2d ("Shape"; weights (in, out/groups, kernel)).
// Not modelled: dilation.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"
#include "graph/operators/conv_kernels.hpp"

namespace dodona::graph {

namespace {

struct TransposedSizes {
    double window = 1;        ///< its area: multiply-accumulates per input, channel and filter
    double output_ratio = 1;  ///< output positions per input position
};

/// The kernels of the convolution that it is the gradient of, dX and Y in each other's place.
Work transposed_work(const LocalExtents& local, const TransposedSizes& sizes) {
    double positions = local[kBatch];
    for (std::size_t loop = kSpatial; loop < local.loops.size(); ++loop) {
        positions *= local.loops[loop];
    }
    const double groups = local[kGroup];
    const double channels = local[kChannel];
    const double filters = local[kFilter];
    const double outputs = positions * sizes.output_ratio;
    const double moved = groups * (positions * channels + outputs * filters + channels * filters * sizes.window);
    const Flop arithmetic = 2 * positions * groups * channels * filters * sizes.window * unit::flop;
    const auto product = [&](double m, double n, double k) {
        Kernel kernel = matmul(m, n, k, groups);
        kernel.kind = KernelKind::convolution;
        kernel.elements = moved;
        kernel.flops = arithmetic;
        return kernel;
    };
    return {.forward = {product(outputs, filters, channels * sizes.window / sizes.output_ratio)},
            .backward_input = {product(positions, channels, filters * sizes.window)},
            .backward_weight = {product(channels, filters * sizes.window, positions)},
            .model_forward = arithmetic};
}

struct Geometry {
    std::vector<Window> windows;
    std::vector<Extent> outputs;
};

/// Windows and output extents of an image; none where something is wrong.
Geometry geometry_of(Attributes& attributes, const Tensor& x) {
    const bool image = is_image(attributes, x);
    const std::size_t count = image ? x.dimensions.size() - 2 : 1;
    const auto kernel = attributes.per_dimension("kernel", count, 1, true, 1);
    const auto stride = attributes.per_dimension("stride", count, 1, false, 1);
    const auto pad = attributes.per_dimension("pad", count, 0, false, 0);
    const auto output_pad = attributes.per_dimension("output_pad", count, 0, false, 0);
    Geometry geometry;
    for (std::size_t i = 0; image && i < count; ++i) {
        const Extent in = x.dimensions[i + 2].extent;
        const Extent out = (in - 1) * stride[i] - 2 * pad[i] + kernel[i] + output_pad[i];
        if (output_pad[i] > 0 && output_pad[i] >= stride[i]) {
            attributes.error_at("output_pad",
                                fmt::format("{} is not smaller than the stride of {}", output_pad[i], stride[i]));
            return {};
        }
        if (out < 1) {
            attributes.error_at("pad", fmt::format("{} leaves nothing of the {}", pad[i], x.dimensions[i + 2].name));
            return {};
        }
        geometry.windows.push_back({.kernel = kernel[i], .stride = stride[i], .pad = pad[i]});
        geometry.outputs.push_back(out);
    }
    return geometry;
}

}  // namespace

Nest build_conv_transpose(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Geometry geometry = geometry_of(attributes, x);
    const Extent filters = attributes.positive("filters");
    const Extent groups = attributes.positive("groups", 1);
    const bool bias = attributes.flag("bias", true);
    if (geometry.windows.empty()) {
        return {};
    }
    const Extent channels = x.dimensions[1].extent;
    if (!groups_divide(attributes, groups, channels, filters)) {
        return {};
    }

    Nest nest;
    const bool grouped = groups > 1;  // within a group nothing splits: split the groups instead
    nest.loops = {{.name = "batch"},
                  {.name = "group", .extent = groups},
                  {.name = "channel", .extent = channels / groups, .can_split = !grouped},
                  {.name = "filter", .extent = filters / groups, .can_split = !grouped}};
    Operand in{.loops = {kBatch, grouped ? kGroup : kChannel}};
    Operand out{.loops = {kBatch, grouped ? kGroup : kFilter}, .windows = {std::nullopt, std::nullopt}};
    Weight weight{.name = "weight",
                  .dimensions = {{"group", groups}, {"channel", channels / groups}, {"filter", filters / groups}},
                  .operand = {.loops = {kGroup, kChannel, kFilter}},
                  .form = MatrixForm::stacked};
    nest.result.dimensions = {{"batch", 1}, {"channel", filters}};
    TransposedSizes sizes;
    for (std::size_t i = 0; i < geometry.windows.size(); ++i) {
        const TensorDimension& dimension = x.dimensions[i + 2];
        const int loop = kSpatial + static_cast<int>(i);
        nest.loops.push_back({.name = dimension.name, .extent = dimension.extent});
        in.loops.push_back(loop);
        out.loops.push_back(loop);
        out.windows.emplace_back(geometry.windows[i]);
        weight.dimensions.push_back({fmt::format("kernel_{}", dimension.name), geometry.windows[i].kernel});
        weight.operand.loops.push_back(kNoLoop);
        nest.result.dimensions.push_back({dimension.name, geometry.outputs[i]});
        sizes.window *= static_cast<double>(geometry.windows[i].kernel);
        sizes.output_ratio *= static_cast<double>(geometry.outputs[i]) / static_cast<double>(dimension.extent);
    }
    nest.inputs = {in};
    nest.output = out;
    nest.weights.push_back(weight);
    if (bias) {
        nest.weights.push_back(filter_bias(nest));
    }
    nest.saved = {{.what = Saved::What::input, .for_weights = true}};
    nest.linear = true;
    nest.work = [sizes](const LocalExtents& local) { return transposed_work(local, sizes); };
    return nest;
}

}  // namespace dodona::graph
