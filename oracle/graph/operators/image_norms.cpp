// Normalisations of images sample by sample: over groups of channels, over each channel, over neighbouring channels.
//
// Group and instance norm keep their input, as batch norm does; the statistics saved beside it are left out. Sources:
// Wu and He, arXiv:1803.08494; Ulyanov et al., arXiv:1607.08022; Krizhevsky et al., NIPS 2012, section 3.3.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

/// Mean and mean of squares of each sample and group, over its channels and all positions: where an image is split they
/// are reduced, and the two sums of the gradient too. Channels split in whole groups.
Nest grouped(const Tensor& x, Extent groups, bool affine) {
    constexpr int kGroup = 1, kChannel = 2;
    const Extent channels = x.dimensions[1].extent;
    Nest nest;
    nest.loops = {{.name = "batch"},
                  {.name = "group", .extent = groups},
                  {.name = "channel", .extent = channels / groups, .can_split = false}};
    Operand every{.loops = {kBatch, kGroup}};
    Statistic statistic{.over = {}, .kept = {kBatch, kGroup}, .forward = 2, .backward = 2};
    for (std::size_t i = 2; i < x.dimensions.size(); ++i) {
        const int loop = kChannel + static_cast<int>(i) - 1;
        nest.loops.push_back({.name = x.dimensions[i].name, .extent = x.dimensions[i].extent});
        every.loops.push_back(loop);
        statistic.over.push_back(loop);
    }
    nest.inputs = {every};
    nest.output = every;
    nest.result = x;
    for (const char* name : {"scale", "bias"}) {
        if (affine) {
            nest.weights.push_back(
                {.name = name, .dimensions = {{"channel", channels}}, .operand = {.loops = {kGroup}}});
        }
    }
    nest.statistics = {statistic};
    nest.saved = {{.what = Saved::What::input}};
    nest.follows = true;
    nest.work = [](const LocalExtents& local) { return norm_work(local, 2); };
    return nest;
}

}  // namespace

Nest build_group_norm(Attributes& attributes, std::span<const Tensor> inputs) {
    const Extent groups = attributes.positive("groups");
    if (!is_image(attributes, inputs[0])) {
        return {};
    }
    const Extent channels = inputs[0].dimensions[1].extent;
    if (channels % groups != 0) {
        attributes.error_at("groups", fmt::format("{} channels are not {} groups of one size", channels, groups));
        return {};
    }
    return grouped(inputs[0], groups, attributes.flag("affine", true));
}

/// A group norm of one channel a group, without weights unless `affine` (torch.nn.InstanceNorm2d).
Nest build_instance_norm(Attributes& attributes, std::span<const Tensor> inputs) {
    const bool affine = attributes.flag("affine", false);
    if (!is_image(attributes, inputs[0])) {
        return {};
    }
    return grouped(inputs[0], inputs[0].dimensions[1].extent, affine);
}

/// y[c] = x[c] / (k + alpha/n * sum over the n channels around c of x^2)^beta. Backward reads x, y and dy (cuDNN,
/// cudnnLRNCrossChannelBackward). Channels cannot be split.
Nest build_local_response_norm(Attributes& attributes, std::span<const Tensor> inputs) {
    const Extent size = attributes.positive("size");
    if (!is_image(attributes, inputs[0])) {
        return {};
    }
    Nest nest = element_wise(inputs[0], 1);
    nest.loops[1].can_split = false;
    nest.saved = {{.what = Saved::What::input}, {.what = Saved::What::output}};
    nest.work = [flops = 2 * static_cast<double>(size)](const LocalExtents& local) {
        const double elements = volume(local);
        Kernel forward = stream(2 * elements);
        forward.flops = elements * flops * unit::flop;
        Kernel backward = stream(4 * elements);
        backward.flops = 2 * forward.flops;
        return Work{.forward = {forward}, .backward_input = {backward}};
    };
    return nest;
}

}  // namespace dodona::graph
