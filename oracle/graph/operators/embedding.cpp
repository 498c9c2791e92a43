// Embeddings: a table look-up, a learned table of positions added, and rotary positions.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

/// Forward copies one row of the table a token; backward adds one row of gradient a token into the table's gradient.
Work look_up(const LocalExtents& local, std::size_t leading) {
    const double tokens = volume_of_first(local, leading);
    const double features = local.loops[leading + 1];
    const Bytes indices = 8 * tokens * unit::byte;
    const Kernel forward{.kind = KernelKind::gather,
                         .m = tokens,
                         .n = features,
                         .k = local.loops[leading],
                         .flops = Flop{},
                         .elements = 2 * tokens * features,
                         .fixed_bytes = indices};
    Kernel scatter = forward;
    scatter.flops = tokens * features * unit::flop;
    scatter.elements = 3 * tokens * features;
    return {.forward = {forward}, .backward_weight = {scatter}};
}

}  // namespace

/// Y[t, f] = W[X[t], f]. The vocabulary is in W only: split it, and Y is a partial sum.
Nest build_embedding(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent vocabulary = attributes.positive("vocabulary");
    const Extent features = attributes.positive("features");
    const std::string tied = attributes.text("tied");
    if (x.find("feature")) {
        attributes.error(fmt::format("reads {}, but ids have no feature dimension", x.shape()));
        return {};
    }
    Nest nest = element_wise(x, 1);
    const std::size_t leading = nest.loops.size();
    const int vocabulary_loop = static_cast<int>(leading);
    const int feature_loop = vocabulary_loop + 1;
    nest.loops.push_back({.name = "vocabulary", .extent = vocabulary});
    nest.loops.push_back({.name = "feature", .extent = features});
    nest.weights = {{.name = "weight",
                     .dimensions = {{"vocabulary", vocabulary}, {"feature", features}},
                     .operand = {.loops = {vocabulary_loop, feature_loop}},
                     .tied_to = tied}};
    nest.output.loops.push_back(feature_loop);
    nest.result.dimensions.push_back({"feature", features});
    nest.result.element = Element::activation;
    nest.saved = {{.what = Saved::What::input, .element = Element::index, .for_weights = true}};
    nest.follows = false;
    nest.work = [leading](const LocalExtents& local) { return look_up(local, leading); };
    return nest;
}

/// Y[b, s, f] = X[b, s, f] + W[s, f]. The gradient passes through to X and is summed over the batch for W. Each of
/// `documents` equal parts of the sequence, such as the images of a sample, has the positions from the first on; `run`
/// neighbours have one position, such as the patches of a tile.
Nest build_position_embedding(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent positions = attributes.positive("positions");
    const Extent documents = attributes.positive("documents", 1);
    const Extent run = attributes.positive("run", 1);
    if (x.dimensions.size() != 3 || x.dimensions[1].name != "sequence") {
        attributes.error(fmt::format("reads {}, but needs sequence and feature", x.shape()));
        return {};
    }
    if (!has_whole_documents(attributes, x, documents)) {
        return {};
    }
    const Extent length = x.dimensions[1].extent / documents / run;
    if (x.dimensions[1].extent != length * run * documents) {
        attributes.error_at("run", fmt::format("{} tokens of a document are not whole runs of {}",
                                               x.dimensions[1].extent / documents, run));
        return {};
    }
    if (positions < length) {
        attributes.error_at("positions", fmt::format("{} positions for a sequence of {}", positions, length));
        return {};
    }
    constexpr int kSequence = 1, kFeature = 2;
    Nest nest = element_wise(x, 1);
    nest.weights = {{.name = "weight",
                     .dimensions = {{"sequence", positions}, {"feature", x.dimensions[2].extent}},
                     .operand = {.loops = {documents * run == 1 ? kSequence : kNoLoop, kFeature}}}};
    nest.work = [parts = static_cast<double>(documents * run)](const LocalExtents& local) {
        const double table = local[kSequence] * local[kFeature] / parts;
        return Work{.forward = {stream(2 * volume(local) + table)}, .backward_weight = {stream(volume(local) + table)}};
    };
    return nest;
}

/// Rotates pairs of features by an angle that grows with the position: linear in X, and its gradient is the rotation
/// back, so nothing is saved. Source: Su et al., arXiv:2104.09864, equation 34.
Nest build_rotary(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    if (x.dimensions.size() != 3 || x.dimensions[1].name != "sequence") {
        attributes.error(fmt::format("reads {}, but needs sequence and feature", x.shape()));
        return {};
    }
    Nest nest = element_wise(x, 1);
    nest.linear = true;
    // huggingface/transformers: models/llama/modeling_llama.py, apply_rotary_pos_emb: two mul, neg, cat and add move 20 bytes
    // an element in 16 bits forward and some 30 backward, where one kernel moves 4 and 4.
    const Unfused by_operators{.kernels = 6, .traffic = 6};
    nest.work = [by_operators](const LocalExtents& local) {
        Kernel pass = stream(2 * volume(local), 1.5);
        pass.unfused = by_operators;
        return Work{.forward = {pass}, .backward_input = {pass}};
    };
    return nest;
}

}  // namespace dodona::graph
