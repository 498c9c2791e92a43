// A product with a block-diagonal matrix: each group of features has a matrix of its own.
//
//   Y[t, g, o] = sum over i of X[t, g, i] W[g, o, i] + bias[g, o],   t: batch and positions, g: group
//
// Arithmetic 2 t g i o; one batched product forward, two backward. Source: De et al., arXiv:2402.19427, section 2.4 (gates
// of the RG-LRU). Groups may be split.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

Nest build_grouped_linear(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent groups = attributes.positive("groups");
    const Extent out = attributes.positive("out");
    const bool bias = attributes.flag("bias", true);
    if (!is_sequence(attributes, x)) {
        return {};
    }
    constexpr int kSequence = 1, kGroup = 2;
    const Extent in = x.dimensions[2].extent;
    if (in % groups != 0 || out % groups != 0) {
        attributes.error_at("groups",
                            fmt::format("{} features in and {} out are not those of {} groups", in, out, groups));
        return {};
    }
    const Extent group_in = in / groups;
    const Extent group_out = out / groups;
    Nest nest;
    nest.loops = {loop_of(x.dimensions[0]), loop_of(x.dimensions[kSequence]), {.name = "group", .extent = groups}};
    nest.inputs = {{.loops = {kBatch, kSequence, kGroup}}};
    nest.output = nest.inputs[0];
    nest.weights = {{.name = "weight",
                     .dimensions = {{"group", groups}, {"out_feature", group_out}, {"in_feature", group_in}},
                     .operand = {.loops = {kGroup, kNoLoop, kNoLoop}},
                     .form = MatrixForm::stacked}};
    if (bias) {
        nest.weights.push_back({.name = "bias",
                                .dimensions = {{"group", groups}, {"out_feature", group_out}},
                                .operand = {.loops = {kGroup, kNoLoop}}});
    }
    nest.result = x;
    nest.result.dimensions[2].extent = out;
    nest.saved = {{.what = Saved::What::input, .for_weights = true}};
    nest.follows = true;
    nest.linear = true;
    nest.work = [i = static_cast<double>(group_in), o = static_cast<double>(group_out)](const LocalExtents& local) {
        const double tokens = volume_of_first(local, 2);
        const double each = local[kGroup];
        const Kernel forward = matmul(tokens, o, i, each);
        return Work{.forward = {forward},
                    .backward_input = {matmul(tokens, i, o, each)},
                    .backward_weight = {matmul(o, i, tokens, each)},
                    .model_forward = forward.flops};
    };
    return nest;
}

}  // namespace dodona::graph
