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
//
// Several copies of a token's states, side by side as features, are mixed with factors that the token itself computes:
//
//   Y[t, j, f] = sum over i of C[t, i, j] X[t, i, f]       i of `streams` copies, f of the features of one
//
// (AltUp: Baykal et al., arXiv:2301.13310, section 3; hyper-connections: Zhu et al., arXiv:2409.19606, section 2). dX sums
// over j, dC over f. It saves X and C.
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

/// huggingface/transformers: models/gemma3n/modeling_gemma3n.py, predict: with as many sums as streams, a copy into a layout
/// for the products, these, and a copy back move 6 numbers for 2; backward likewise 8 for 3.
constexpr Unfused kMixedByOperators{.kernels = 3, .traffic = 14. / 5};

Nest build_mix_streams(Attributes& attributes, std::span<const Tensor> inputs) {
    constexpr int kSequence = 1, kFeature = 2;
    const Extent streams = attributes.positive("streams");
    if (!is_sequence(attributes, inputs[0]) || !is_sequence(attributes, inputs[1])) {
        return {};
    }
    Tensor mixed = inputs[0];
    Extent& features = mixed.dimensions[kFeature].extent;
    const Extent factors = inputs[1].dimensions[kFeature].extent;
    if (features % streams != 0 || factors % streams != 0 ||
        inputs[1].dimensions[kSequence] != mixed.dimensions[kSequence]) {
        attributes.error_at("streams", fmt::format("{} with factors {} are not {} streams", inputs[0].shape(),
                                                   inputs[1].shape(), streams));
        return {};
    }
    const Extent mixes = factors / streams;
    features = features / streams * mixes;
    Nest nest = element_wise(mixed, 2);
    nest.loops[kFeature].can_split = false;
    nest.inputs[0].loops = nest.inputs[1].loops = {kBatch, kSequence, kNoLoop};
    nest.saved = {{.what = Saved::What::input, .operand = 0}, {.what = Saved::What::input, .operand = 1}};
    nest.work = [n = static_cast<double>(streams), m = static_cast<double>(mixes)](const LocalExtents& local) {
        const double sums = volume(local);
        const double read = sums / m * n;
        const double numbers = volume_of_first(local, 2) * n * m;
        Kernel forward = stream(read + sums + numbers);
        forward.flops = 2 * n * sums * unit::flop;
        Kernel backward = stream(2 * read + sums + 2 * numbers);
        backward.flops = 4 * n * sums * unit::flop;
        return unfused_as(kMixedByOperators, {.forward = {forward}, .backward_input = {backward}});
    };
    return nest;
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
