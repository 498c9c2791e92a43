// Cross-entropy of logits against one class a token, or a pixel where the classes are the channels of an image.
//
//   loss[t] = log(sum over c of exp(x[t, c] - max)) - (x[t, target] - max);   dx = softmax(x) - one_hot(target)
//
// Logits are kept in fp32 (Korthikanti et al., arXiv:2205.05198, section 4.2: 4*s*b*v bytes). Where classes are split,
// the maximum, the sum and the target's logit are reduced forward, nothing backward (Megatron-LM's vocabulary-parallel
// cross-entropy, arXiv:1909.08053, section 3).
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

/// Forward reads the logits for maximum and sum, and again to write fp32 probabilities; backward turns those into
/// gradients of the logits.
Work cross_entropy_work(const LocalExtents& local) {
    const double elements = volume(local);
    const Bytes single = 4 * elements * unit::byte;
    return {.forward = {stream(elements, 3), stream(elements, 2, single)},
            .backward_input = {stream(elements, 1, single)}};
}

}  // namespace

Nest build_cross_entropy(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const std::size_t dimensions = x.dimensions.size();
    const bool image = dimensions > 2 && x.dimensions[1].name == "channel";
    const bool tokens = dimensions == 3 && x.dimensions[1].name == "sequence";
    const bool features = (dimensions == 2 || tokens) && x.dimensions.back().name == "feature";
    if (!image && !features) {
        attributes.error(fmt::format("reads {}, which are not logits", x.shape()),
                         "logits are: feature, sequence and feature, or the channels of an image");
        return {};
    }
    Nest nest = element_wise(x, 1);
    const std::size_t along = image ? 1 : dimensions - 1;
    nest.loops[along].name = "class";
    nest.output.loops.erase(nest.output.loops.begin() + static_cast<std::ptrdiff_t>(along));
    nest.result.dimensions.erase(nest.result.dimensions.begin() + static_cast<std::ptrdiff_t>(along));
    nest.statistics = {{.over = {static_cast<int>(along)}, .kept = nest.output.loops, .forward = 3, .backward = 0}};
    nest.saved = {{.what = Saved::What::internal,
                   .name = "probabilities",
                   .element = Element::single,
                   .loops = all_loops(dimensions),
                   .logits = true}};
    nest.work = cross_entropy_work;
    return nest;
}

}  // namespace dodona::graph
