// Convolution in one, two or three dimensions, with groups, stride, padding and dilation.
//
//   Y[b, f, o...] = sum over c, k... of X[b, c, s*o - p + d*k ...] W[f, c, k...]
#include "graph/operators/builders.hpp"
#include "graph/operators/conv_kernels.hpp"

#include <fmt/format.h>

namespace dodona::graph {

namespace {

struct ConvolutionSizes {
    double inputs_per_output;  ///< window area: multiply-accumulates per output, channel and filter
    double input_ratio;        ///< input positions per output position
    int wide;                  ///< dimensions in which the window has more than one position
};

Work convolution_work(const LocalExtents& local, const ConvolutionSizes& sizes, std::size_t spatial) {
    double positions = local[kBatch];
    for (std::size_t i = 0; i < spatial; ++i) {
        positions *= local[kSpatial + static_cast<int>(i)];
    }
    return convolution({.samples = local[kBatch],
                        .positions = positions,
                        .channels = local[kChannel],
                        .filters = local[kFilter],
                        .groups = local[kGroup],
                        .window_area = sizes.inputs_per_output,
                        .input_ratio = sizes.input_ratio,
                        .wide = sizes.wide});
}

}  // namespace

Nest build_conv(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const auto geometry = image_geometry(attributes, x);
    const std::size_t spatial = geometry.windows.size();
    const Extent channels = geometry.channels;
    const Extent filters = attributes.positive("filters");
    const Extent groups = attributes.positive("groups", 1);
    const bool bias = attributes.flag("bias", true);
    if (geometry.windows.empty()) {
        return {};
    }
    if (!groups_divide(attributes, groups, channels, filters)) {
        return {};
    }

    Nest nest;
    nest.loops = {{.name = "batch"},
                  {.name = "group", .extent = groups},
                  {.name = "channel", .extent = channels / groups},
                  {.name = "filter", .extent = filters / groups}};
    Operand in{.loops = {kBatch, groups > 1 ? kGroup : kChannel}, .windows = {std::nullopt, std::nullopt}};
    Operand out{.loops = {kBatch, groups > 1 ? kGroup : kFilter}};
    Weight weight{.name = "weight",
                  .dimensions = {{"group", groups}, {"filter", filters / groups}, {"channel", channels / groups}},
                  .operand = {.loops = {kGroup, kFilter, kChannel}},
                  .form = MatrixForm::stacked};
    nest.result.dimensions = {{"batch", 1}, {"channel", filters}};
    ConvolutionSizes sizes{.inputs_per_output = 1, .input_ratio = 1, .wide = 0};
    for (std::size_t i = 0; i < spatial; ++i) {
        const auto& window = geometry.windows[i];
        const int loop = kSpatial + static_cast<int>(i);
        nest.loops.push_back({.name = geometry.names[i], .extent = geometry.outputs[i]});
        in.loops.push_back(loop);
        in.windows.emplace_back(window);
        out.loops.push_back(loop);
        weight.dimensions.push_back({fmt::format("kernel_{}", geometry.names[i]), window.kernel});
        weight.operand.loops.push_back(kNoLoop);
        nest.result.dimensions.push_back({geometry.names[i], geometry.outputs[i]});
        sizes.inputs_per_output *= static_cast<double>(window.kernel);
        sizes.wide += window.kernel > 1 ? 1 : 0;
        sizes.input_ratio *= static_cast<double>(geometry.inputs[i]) / static_cast<double>(geometry.outputs[i]);
    }
    if (groups > 1) {
        nest.loops[kChannel].can_split = false;  // within a group: split the groups instead
        nest.loops[kFilter].can_split = false;
    }
    nest.inputs = {in};
    nest.output = out;
    nest.weights.push_back(weight);
    if (bias) {
        nest.weights.push_back(filter_bias(nest));
    }
    nest.saved = {{.what = Saved::What::input, .for_weights = true}};
    nest.linear = true;
    nest.work = [sizes, spatial](const LocalExtents& local) { return convolution_work(local, sizes, spatial); };
    return nest;
}

}  // namespace dodona::graph
