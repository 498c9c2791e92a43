// Cross-entropy of logits against one class a token.
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
Work work(const LocalExtents& local) {
    const double elements = volume(local);
    const Bytes single = 4 * elements * unit::byte;
    return {.forward = {stream(elements, 3), stream(elements, 2, single)},
            .backward_input = {stream(elements, 1, single)},
            .backward_weight = {},
            .model_forward = Flop{}};
}

}  // namespace

Nest build_cross_entropy(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const std::size_t dimensions = x.dimensions.size();
    const bool tokens = dimensions == 3 && x.dimensions[1].name == "sequence";
    if ((dimensions != 2 && !tokens) || x.dimensions.back().name != "feature") {
        attributes.error(fmt::format("reads {}, which are not logits", x.shape()),
                         "logits are: feature, or sequence and feature");
        return {};
    }
    Nest nest = element_wise(x, 1);
    const std::size_t last = dimensions - 1;
    nest.loops[last].name = "class";
    nest.output.loops.pop_back();
    nest.result.dimensions.pop_back();
    nest.statistics = {{.over = {static_cast<int>(last)}, .kept = all_loops(last), .forward = 3, .backward = 0}};
    nest.saved = {{.what = Saved::What::internal,
                   .name = "probabilities",
                   .element = Element::single,
                   .loops = all_loops(dimensions)}};
    nest.work = work;
    return nest;
}

}  // namespace dodona::graph
