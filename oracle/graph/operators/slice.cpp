// Parts of a tensor: the first positions of one dimension, and a smaller image; and zeros after a sequence.
//
// A part is a view: nothing runs forward and nothing is saved. Backward writes zeros of the whole size and copies the
// gradient into them (PyTorch, slice_backward: zeros, then copy_). A dimension that is cut cannot be split: a shard of
// the part would not be a part of the shard.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

/// `part` of `whole`, whose extents differ where a loop cannot be split.
Nest part_of(const Tensor& whole, const Tensor& part) {
    Nest nest = element_wise(part, 1);
    double larger = 1;  ///< elements of the whole to one of the part
    for (std::size_t i = 1; i < part.dimensions.size(); ++i) {
        nest.loops[i].can_split = part.dimensions[i].extent == whole.dimensions[i].extent;
        larger *= static_cast<double>(whole.dimensions[i].extent) / static_cast<double>(part.dimensions[i].extent);
    }
    nest.linear = true;
    nest.work = [larger](const LocalExtents& local) {
        return Work{.forward = {}, .backward_input = {stream((larger + 2) * volume(local), 0)}};
    };
    return nest;
}

}  // namespace

Nest build_slice(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    if (!has_features(attributes, x)) {
        return {};
    }
    const std::size_t along = dimension_along(attributes, x, "");
    const Extent size = attributes.positive("size");
    Tensor part = x;
    if (size > x.dimensions[along].extent) {
        attributes.error_at("size", fmt::format("{} positions of a {} of {}", size, x.dimensions[along].name,
                                                x.dimensions[along].extent));
        return {};
    }
    part.dimensions[along].extent = size;
    return part_of(x, part);
}

/// Zeros after a sequence, as the grid of an image is padded to whole windows (Kirillov et al., arXiv:2304.02643, appendix
/// A). Forward copies, the gradient is a view.
Nest build_pad_tokens(Attributes& attributes, std::span<const Tensor> inputs) {
    Tensor padded = inputs[0];
    const Extent size = attributes.positive("size");
    if (!is_sequence(attributes, padded)) {
        return {};
    }
    constexpr int kSequence = 1;
    const auto before = static_cast<double>(padded.dimensions[kSequence].extent);
    if (static_cast<double>(size) < before) {
        attributes.error_at("size", fmt::format("a sequence of {} is longer", before));
        return {};
    }
    padded.dimensions[kSequence].extent = size;
    Nest nest = element_wise(padded, 1);
    nest.loops[kSequence].can_split = false;
    nest.linear = true;
    nest.work = [read = before / static_cast<double>(size)](const LocalExtents& local) {
        return Work{.forward = {stream((1 + read) * volume(local), 0)}};
    };
    return nest;
}

/// Each spatial dimension may be given a smaller extent by its name; the others stay whole. Source: the skip
/// connections of U-Net, Ronneberger et al., arXiv:1505.04597, figure 1 ("copy and crop").
Nest build_crop(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    if (!is_image(attributes, x)) {
        return {};
    }
    Tensor part = x;
    for (std::size_t i = 2; i < x.dimensions.size(); ++i) {
        TensorDimension& dimension = part.dimensions[i];
        const Extent whole = dimension.extent;
        dimension.extent = attributes.positive(dimension.name, whole);
        if (dimension.extent > whole) {
            attributes.error_at(dimension.name, fmt::format("{} of {} positions", dimension.extent, whole));
            return {};
        }
    }
    return part_of(x, part);
}

}  // namespace dodona::graph
