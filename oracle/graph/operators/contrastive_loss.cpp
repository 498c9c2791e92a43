// The loss of pairs: each image against the texts of the whole micro-batch, and each text against its images.
//
//   A = normalise(images), T = normalise(texts);  loss = (cross_entropy(s A T^T) + cross_entropy(s T A^T)) / 2, pair i to i
//
// s is a learned number. Where the batch is split, every device gathers the features of all and computes the logits of its
// own rows; backward scatters the sums of their gradients (Radford et al., CLIP, arXiv:2103.00020, section 2.5 and figure
// 3; open_clip, loss.py with local_loss and gather_with_grad). With several micro-batches a pair is compared within its
// own. With `sigmoid` each pair is a choice of its own, loss = -sum log sigmoid(z (s A T^T + c)), z = 1 where i = j, else
// -1, with a learned c more and the logits once (Zhai et al., arXiv:2303.15343, section 3.2). Kept: both features, as they
// come and normalised, and the probabilities of the own rows, in fp32.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

Work pairs_work(const LocalExtents& local, int feature, double directions) {
    const double own = local[kBatch];
    const double all = own * local.shards(kBatch);
    const double features = local[feature];
    const double logits = directions * own * all;
    const Kernel normalise = stream(4 * own * features, 2);
    const Kernel rows = matmul(own, all, features, directions);
    const Bytes single = 4 * logits * unit::byte;
    return {.forward = {normalise, rows, stream(logits, 3), stream(logits, 2, single)},
            .backward_input = {stream(logits, 1, single), matmul(own, features, all, directions),
                               matmul(all, features, own, directions), stream(6 * own * features, 4)},
            .model_forward = rows.flops};
}

}  // namespace

Nest build_contrastive_loss(Attributes& attributes, std::span<const Tensor> inputs) {
    const bool sigmoid = attributes.flag("sigmoid", false);
    if (!same_shapes(attributes, inputs)) {
        return {};
    }
    const Tensor& x = inputs[0];
    if (x.dimensions.size() != 2 || x.dimensions[1].name != "feature") {
        attributes.error(fmt::format("reads {}, but needs one row of features a sample", x.shape()));
        return {};
    }
    constexpr int kRowFeature = 1;
    Nest nest = element_wise(x, 2);
    nest.follows = false;
    nest.loops[kRowFeature].can_split = false;
    const double directions = sigmoid ? 1 : 2;
    nest.weights = {{.name = sigmoid ? "scale and bias" : "scale",
                     .dimensions = {{"number", sigmoid ? 2 : 1}},
                     .operand = {.loops = {kNoLoop}}}};
    nest.output.loops = {kBatch};
    nest.result.dimensions.erase(nest.result.dimensions.begin() + kRowFeature);
    nest.recurrences.assign(2, {.loop = kBatch, .steps = 1, .kept = {kRowFeature}});
    nest.saved = {{.what = Saved::What::input, .operand = 0},
                  {.what = Saved::What::input, .operand = 1},
                  {.what = Saved::What::internal, .name = "normalised", .loops = {kBatch, kRowFeature}, .factor = 2},
                  {.what = Saved::What::internal,
                   .name = "probabilities",
                   .element = Element::single,
                   .loops = {kBatch},
                   .factor = directions,
                   .whole_batch = true}};
    nest.work = [directions](const LocalExtents& local) { return pairs_work(local, kRowFeature, directions); };
    return nest;
}

}  // namespace dodona::graph
