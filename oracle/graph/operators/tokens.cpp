// From images to tokens, and tokens put before a sequence.
#include <algorithm>

#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

/// Every element is read and written, forward and backward.
Work copy(const LocalExtents& local) {
    const Kernel pass = stream(2 * volume(local), 0);
    return {.forward = {pass}, .backward_input = {pass}};
}

/// Loops and operands of a copy from an image to tokens; `along`: the one dimension that is the sequence, 0 if all
/// positions are.
Nest to_tokens(const Tensor& x, std::size_t along, Extent tokens, Extent features) {
    constexpr int kSequence = 1, kFeature = 2;
    const Extent channels = x.dimensions[1].extent;  // features split where each belongs to one channel, in whole ones
    Nest nest;
    nest.loops = {{.name = "batch"},
                  {.name = "sequence", .extent = tokens, .can_split = along > 0},
                  {.name = "feature",
                   .extent = features,
                   .granule = std::max<Extent>(1, features / channels),
                   .can_split = features >= channels}};
    Operand in{.loops = {kBatch, kFeature}};
    for (std::size_t i = 2; i < x.dimensions.size(); ++i) {
        in.loops.push_back(i == along ? kSequence : kNoLoop);
    }
    nest.inputs = {in};
    nest.output.loops = all_loops(3);
    nest.result = x;
    nest.result.dimensions = {x.dimensions[0], {"sequence", tokens}, {"feature", features}};
    nest.follows = true;
    nest.linear = true;
    nest.work = copy;
    return nest;
}

}  // namespace

/// Image (channel = a * features, positions...) to tokens (sequence = a * positions, feature = features): the patches
/// of a vision transformer (a = 1; Dosovitskiy et al., arXiv:2010.11929, section 3.1), or `a` anchors a position of a
/// detection head (Liu et al., arXiv:1512.02325, section 2.1). Channels become minor, so every element is copied once
/// each way. The sequence would split as rows of the image do only where its shards are whole rows, so neither is split
/// here; features are where each channel is one.
///
/// With `along` one dimension is the sequence and each position of it has all channels and other positions as features:
/// the frames of a spectrogram (Amodei et al., arXiv:1512.02595, section 3). Then it splits as the image does.
Nest build_to_sequence(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    if (!is_image(attributes, x)) {
        return {};
    }
    const Extent channels = x.dimensions[1].extent;
    Extent positions = 1;
    std::vector<std::string> names;
    for (std::size_t i = 2; i < x.dimensions.size(); ++i) {
        positions *= x.dimensions[i].extent;
        names.push_back(x.dimensions[i].name);
    }
    if (attributes.has("along")) {
        const std::size_t along = x.find(attributes.word("along", names, names.front())).value_or(2);
        const Extent tokens = x.dimensions[along].extent;
        return to_tokens(x, along, tokens, channels * positions / tokens);
    }
    const Extent features = attributes.positive("features", channels);
    if (channels % features != 0) {
        attributes.error_at("features", fmt::format("{} channels are not whole tokens of {}", channels, features));
        return {};
    }
    return to_tokens(x, 0, channels / features * positions, features);
}

/// Tokens (sequence = height * width, feature) to an image (channel = feature, height, width): the reverse, copied as well.
Nest build_to_image(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent height = attributes.positive("height");
    const Extent width = attributes.positive("width");
    if (!is_sequence(attributes, x)) {
        return {};
    }
    constexpr int kSequence = 1, kFeature = 2;
    if (height * width != x.dimensions[kSequence].extent) {
        attributes.error(
            fmt::format("{} tokens are not {} x {} positions", x.dimensions[kSequence].extent, height, width));
        return {};
    }
    Nest nest = element_wise(x, 1);
    nest.loops[kSequence].can_split = false;
    nest.output = {.loops = {kBatch, kFeature, kNoLoop, kNoLoop}};
    nest.result.dimensions = {
        x.dimensions[0], {"channel", x.dimensions[kFeature].extent}, {"height", height}, {"width", width}};
    nest.linear = true;
    nest.work = copy;
    return nest;
}

/// Tokens of a sequence in runs of `count` neighbours, each run one token: with all their features, which is a view of the
/// same numbers (the patch merger of Qwen2-VL, arXiv:2409.12191, section 2.1), or with `mean` their mean (the pooling of
/// Gemma 3, arXiv:2503.19786, section 2.3). A shard of the sequence would have to be whole runs, so it is not split.
Nest build_merge_tokens(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent count = attributes.positive("count");
    const bool mean = attributes.flag("mean", false);
    if (!is_sequence(attributes, x)) {
        return {};
    }
    constexpr int kSequence = 1, kFeature = 2;
    const Extent tokens = x.dimensions[kSequence].extent;
    if (tokens % count != 0) {
        attributes.error_at("count", fmt::format("{} tokens are not whole runs of {}", tokens, count));
        return {};
    }
    Tensor merged = x;
    merged.dimensions[kSequence].extent = tokens / count;
    merged.dimensions[kFeature].extent *= mean ? 1 : count;
    Nest nest = element_wise(merged, 1);
    nest.loops[kSequence].can_split = false;
    nest.loops[kFeature].can_split = mean;
    nest.inputs[0].loops = {0, kNoLoop, mean ? kFeature : kNoLoop};
    nest.linear = true;
    nest.work = [mean, reads = static_cast<double>(count)](const LocalExtents& local) {
        if (!mean) {
            return Work{};
        }
        const Kernel pass = stream((reads + 1) * volume(local), reads);
        return Work{.forward = {pass}, .backward_input = {pass}};
    };
    return nest;
}

namespace {

/// huggingface/transformers: models/deepseek_v4/modeling_deepseek_v4.py, DeepseekV4HCACompressor: the sum with the bias, the
/// softmax into fp32, its cast, the product and the sum over the run move 12 numbers forward where one kernel reads 2, and
/// 15 backward where it moves 4.
constexpr Unfused kCompressedByOperators{.kernels = 5, .traffic = 27. / 6};

}  // namespace

/// Y[r, f] = sum over t of the run r of softmax_t(G[t, f] + B[t, f]) X[t, f], B a learned table of the run. With `overlap` a
/// token has twice the features of Y: the second half counts in its own run, the first in the one after it, in one softmax
/// (DeepSeek-V4's compressed attention). A shard of the sequence would have to be whole runs, so it is not split.
Nest build_compress_tokens(Attributes& attributes, std::span<const Tensor> inputs) {
    const Extent count = attributes.positive("count");
    const Extent parts = attributes.flag("overlap", false) ? 2 : 1;
    constexpr int kSequence = 1, kFeature = 2;
    Tensor y = inputs[0];
    if (!is_sequence(attributes, y) || !same_shapes(attributes, inputs)) {
        return {};
    }
    const Extent tokens = y.dimensions[kSequence].extent, features = y.dimensions[kFeature].extent;
    if (tokens % count != 0 || features % parts != 0) {
        attributes.error_at("count", fmt::format("{} tokens of {} features are not whole runs of {}{}", tokens,
                                                 features, count, parts > 1 ? " in two halves" : ""));
        return {};
    }
    y.dimensions[kSequence].extent = tokens / count;
    y.dimensions[kFeature].extent = features / parts;
    Nest nest = element_wise(y, 2);
    nest.loops[kSequence].can_split = false;
    nest.loops[kFeature].can_split = parts == 1;
    const int feature = parts == 1 ? kFeature : kNoLoop;
    nest.inputs[0].loops = nest.inputs[1].loops = {kBatch, kNoLoop, feature};
    nest.weights = {{.name = "bias",
                     .dimensions = {{"token", count}, {"feature", features}},
                     .operand = {.loops = {kNoLoop, feature}}}};
    nest.saved = {{.what = Saved::What::input, .operand = 0}, {.what = Saved::What::input, .operand = 1}};
    nest.work = [read = static_cast<double>(count * parts)](const LocalExtents& local) {
        const double each = read * volume(local);
        Kernel forward = stream(2 * each + volume(local));
        forward.flops = 6 * each * unit::flop;
        Kernel backward = stream(4 * each + volume(local));
        backward.flops = 8 * each * unit::flop;
        Work work = unfused_as(kCompressedByOperators, {.forward = {forward}, .backward_input = {backward}});
        work.backward_weight = {stream(each)};  // the gradients of the gates, summed over runs
        return work;
    };
    return nest;
}

/// Y = [W; X] along the sequence: `count` learned tokens before the others, such as BERT's and ViT's class token
/// (arXiv:2010.11929, equation 1), the same before each of `documents` equal parts of the sequence, such as the images of
/// a sample. The longer sequence cannot be split: its shards are not X's.
Nest build_prepend_tokens(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent count = attributes.positive("count", 1);
    const Extent documents = attributes.positive("documents", 1);
    if (!is_sequence(attributes, x) || !has_whole_documents(attributes, x, documents)) {
        return {};
    }
    constexpr int kSequence = 1, kFeature = 2;
    Tensor longer = x;
    longer.dimensions[kSequence].extent += count * documents;
    Nest nest = element_wise(longer, 1);
    nest.loops[kSequence].can_split = false;
    nest.weights = {{.name = "weight",
                     .dimensions = {{"token", count}, {"feature", x.dimensions[kFeature].extent}},
                     .operand = {.loops = {kNoLoop, kFeature}}}};
    nest.work = [tokens = static_cast<double>(count),
                 parts = static_cast<double>(documents)](const LocalExtents& local) {
        const double weight = tokens * local[kFeature];
        const double put = local[0] * parts * weight;  // in all documents of all samples
        const double copied = volume(local) - put;
        // Forward reads x and the tokens and writes y; backward cuts dy in two and sums the tokens' part over samples.
        return Work{.forward = {stream(2 * copied + put + weight, 0)},
                    .backward_input = {stream(2 * copied, 0)},
                    .backward_weight = {stream(put + weight)}};
    };
    return nest;
}

/// Y = [H; X] along the sequence: H, the last `positions` states of this layer's input in the segment before, is kept
/// from step to step and has no gradient (Transformer-XL, arXiv:1901.02860, section 3.2). The longer sequence cannot be
/// split: its shards are not X's.
Nest build_recall(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent positions = attributes.positive("positions");
    if (!is_sequence(attributes, x)) {
        return {};
    }
    constexpr int kSequence = 1, kFeature = 2;
    Tensor longer = x;
    longer.dimensions[kSequence].extent += positions;
    Nest nest = element_wise(longer, 1);
    nest.loops[kSequence].can_split = false;
    nest.saved = {{.what = Saved::What::internal,
                   .name = "states",
                   .loops = {0, kFeature},
                   .factor = static_cast<double>(positions)}};
    nest.work = [kept = static_cast<double>(positions)](const LocalExtents& local) {
        const double states = kept * local[0] * local[kFeature];
        const Kernel join = stream(2 * volume(local) + states, 0);  // and the new states are written
        const Kernel cut = stream(2 * (volume(local) - states), 0);
        return Work{.forward = {join}, .backward_input = {cut}};
    };
    return nest;
}

}  // namespace dodona::graph
