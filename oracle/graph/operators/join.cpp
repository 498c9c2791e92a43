// Joins: a sum of tensors of one shape, and a concatenation along one dimension.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

/// y = x + v for all positions, as a time is added to a residual block of a diffusion U-Net (Ho et al.,
/// arXiv:2006.11239, appendix B): dv is the sum of dy over them, partial where they are split.
Nest add_to_channels(const Tensor& x) {
    Nest nest = element_wise(x, 2);
    nest.inputs[1].loops = {0, 1};
    nest.work = [](const LocalExtents& local) {
        const double numbers = volume_of_first(local, 2);
        return Work{.forward = {stream(2 * volume(local) + numbers)},
                    .backward_input = {stream(volume(local) + numbers)}};
    };
    return nest;
}

}  // namespace

/// y = x1 + x2 + ... Backward hands the same gradient to each input and runs nothing. Shapes are equal, or there are an image
/// and a number a channel.
Nest build_add(Attributes& attributes, std::span<const Tensor> inputs) {
    if (inputs.size() == 2 && is_number_a_channel(inputs[1], inputs[0])) {
        return add_to_channels(inputs[0]);
    }
    if (!same_shapes(attributes, inputs)) {
        return {};
    }
    Nest nest = element_wise(inputs[0], inputs.size());
    nest.linear = true;
    const auto operands = static_cast<double>(inputs.size());
    nest.work = [operands](const LocalExtents& local) {
        return Work{.forward = {stream((operands + 1) * volume(local))}};
    };
    return nest;
}

std::optional<Tensor> side_by_side(Attributes& attributes, std::span<const Tensor> inputs, std::size_t along) {
    const Tensor& x = inputs[0];
    Tensor whole = x;
    whole.dimensions[along].extent = 0;
    for (const Tensor& input : inputs) {
        Tensor rest = input;
        if (rest.dimensions.size() == x.dimensions.size()) {
            rest.dimensions[along].extent = x.dimensions[along].extent;
        }
        if (rest.dimensions != x.dimensions) {
            attributes.error(fmt::format("reads {} and {}, which differ beside the {} that it joins", x.shape(),
                                         input.shape(), x.dimensions[along].name));
            return std::nullopt;
        }
        whole.dimensions[along].extent += input.dimensions[along].extent;
    }
    return whole;
}

/// Along a dimension by name; if none is given, images join along their channels, all else along its last dimension.
/// That loop cannot be split: a shard of the result would not be made of the shards of the inputs.
Nest build_concat(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    if (!has_features(attributes, x)) {
        return {};
    }
    const bool image = x.dimensions[1].name == "channel";
    const std::size_t along = dimension_along(attributes, x, image ? "channel" : x.dimensions.back().name);
    const auto whole = side_by_side(attributes, inputs, along);
    if (!whole) {
        return {};
    }
    Nest nest = element_wise(*whole, inputs.size());
    nest.loops[along].can_split = false;
    nest.linear = true;
    nest.work = [](const LocalExtents& local) {
        const Kernel copy = stream(2 * volume(local), 0);
        return Work{.forward = {copy}, .backward_input = {copy}};
    };
    return nest;
}

}  // namespace dodona::graph
