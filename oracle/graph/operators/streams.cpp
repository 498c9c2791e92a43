// Streams of tokens that attend to each other: tensors side by side as one, and one of them again.
//
// Text and image tokens of a diffusion transformer have weights of their own and one attention (Esser et al.,
// arXiv:2403.03206, section 4). Its mask is full and positions go with their tokens, so the order of tokens is free: a
// shard of the whole is made of shards of all parts, as context parallelism splits each stream by itself
// (huggingface/diffusers: models/transformers/transformer_flux.py, _cp_plan). Likewise features: a row-parallel product
// of attention and MLP side by side holds a shard of each (the same file, PackedRowwiseParallel).
//
// `copied` says whether memory moves: a concatenation writes its result, and a part is made contiguous for what
// follows; backward does the reverse. Streams between blocks stay where they are.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

/// A copy of the whole result forward and backward, or nothing. The loop `along` splits as that of the inputs does.
Nest moved(const Tensor& result, std::size_t inputs, bool copied) {
    Nest nest = element_wise(result, inputs);
    nest.linear = true;
    nest.work = [copied](const LocalExtents& local) {
        std::vector<Kernel> copies;
        if (copied) {
            copies.push_back(stream(2 * volume(local), 0));
        }
        return Work{.forward = copies, .backward_input = copies};
    };
    return nest;
}

}  // namespace

Nest build_join(Attributes& attributes, std::span<const Tensor> inputs) {
    const bool copied = attributes.flag("copied", true);
    if (!has_features(attributes, inputs[0])) {
        return {};
    }
    const std::size_t along = dimension_along(attributes, inputs[0], "sequence");
    const auto whole = side_by_side(attributes, inputs, along);
    return whole ? moved(*whole, inputs.size(), copied) : Nest{};
}

Nest build_narrow(Attributes& attributes, std::span<const Tensor> inputs) {
    Tensor part = inputs[0];
    const bool copied = attributes.flag("copied", true);
    if (!has_features(attributes, part)) {
        return {};
    }
    TensorDimension& along = part.dimensions[dimension_along(attributes, part, "sequence")];
    const Extent size = attributes.positive("size");
    const Extent start = attributes.not_negative("start", 0);
    if (start + size > along.extent) {
        attributes.error_at("size",
                            fmt::format("{} positions after {} of a {} of {}", size, start, along.name, along.extent));
        return {};
    }
    along.extent = size;
    return moved(part, 1, copied);
}

}  // namespace dodona::graph
