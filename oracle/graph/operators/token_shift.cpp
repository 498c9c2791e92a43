// Each token mixed with the one before it, by a learned share of each feature.
//
//   y[t, f] = x[t, f] + (x[t - 1, f] - x[t, f]) m[f]        per sample
//
// One pass forward and one backward. Source: Peng et al., arXiv:2503.14456, section 4.1 (RWKV-7). Features may be split;
// positions not, as each reads the one before it.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

Nest build_token_shift(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    if (!is_sequence(attributes, x)) {
        return {};
    }
    constexpr int kSequence = 1, kFeature = 2;
    Nest nest = element_wise(x, 1);
    nest.loops[kSequence].can_split = false;
    nest.weights = {{.name = "share",
                     .dimensions = {{"feature", x.dimensions[kFeature].extent}},
                     .operand = {.loops = {kFeature}}}};
    nest.saved = {{.what = Saved::What::input}};
    nest.work = [](const LocalExtents& local) {
        const Kernel pass = stream(2 * volume(local), 3);
        return Work{.forward = {pass}, .backward_input = {pass}, .backward_weight = {pass}};
    };
    return nest;
}

}  // namespace dodona::graph
