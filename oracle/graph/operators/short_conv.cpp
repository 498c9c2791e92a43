// A short causal convolution of each feature over the positions of a sequence, and its activation or none.
//
//   y[t, f] = silu(b[f] + sum_i W[f, i] x[t - i, f]),   i < kernel        per sample
//
// One pass over memory: forward reads x and writes y, backward reads x and dy and writes dx, and reads both for dW. The
// sum is computed again for the activation's gradient. Source: the causal-conv1d of state-space and delta-rule layers
// (Gu and Dao, arXiv:2312.00752, section 3.4; Dao-AILab/causal-conv1d). Features may be split; positions not, as each
// reads those before it.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

Nest build_short_conv(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent kernel = attributes.positive("kernel");
    const bool bias = attributes.flag("bias", false);
    static_cast<void>(attributes.word("activation", {"silu", "none"}, "silu"));  // within the same pass
    if (!is_sequence(attributes, x)) {
        return {};
    }
    constexpr int kSequence = 1, kFeature = 2;
    Nest nest = element_wise(x, 1);
    nest.loops[kSequence].can_split = false;
    nest.weights = {{.name = "weight",
                     .dimensions = {{"feature", x.dimensions[kFeature].extent}, {"position", kernel}},
                     .operand = {.loops = {kFeature, kNoLoop}}}};
    if (bias) {
        nest.weights.push_back({.name = "bias",
                                .dimensions = {{"feature", x.dimensions[kFeature].extent}},
                                .operand = {.loops = {kFeature}}});
    }
    nest.saved = {{.what = Saved::What::input}};
    nest.work = [taps = static_cast<double>(kernel)](const LocalExtents& local) {
        const double elements = volume(local);
        return Work{.forward = {stream(2 * elements, taps)},
                    .backward_input = {stream(3 * elements, 2 * taps)},
                    .backward_weight = {stream(2 * elements, taps)}};
    };
    return nest;
}

}  // namespace dodona::graph
