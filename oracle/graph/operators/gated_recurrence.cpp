// The real-gated linear recurrent unit of Griffin: every feature has a state of one number.
//
//   h[t] = a[t] h[t-1] + sqrt(1 - a[t]^2) sigmoid(i[t]) x[t],   a[t] = exp(-8 softplus(L) sigmoid(r[t])),   y = h
//
// One fused pass whose states stay on the chip; L is learned, r and i are products before it. An exponential, a root or a
// logistic function counts as 16 operations, as in selective_scan. Backward reads the states, which are the output.
// Source: De et al., arXiv:2402.19427, equations 1 to 4 and section 4.3. Features may be split; positions not.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

Nest build_gated_recurrence(Attributes& attributes, std::span<const Tensor> inputs) {
    constexpr double kForwardOperations = 4 * 16 + 6, kBackwardOperations = 4 * 16 + 18;
    const Tensor& x = inputs[0];
    if (!is_sequence(attributes, x) || !same_shapes(attributes, inputs)) {
        return {};
    }
    constexpr int kSequence = 1, kFeature = 2;
    Nest nest = element_wise(x, inputs.size());
    nest.loops[kSequence].can_split = false;
    nest.weights = {{.name = "decay",
                     .dimensions = {{"feature", x.dimensions[kFeature].extent}},
                     .operand = {.loops = {kFeature}}}};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        nest.saved.push_back({.what = Saved::What::input, .operand = static_cast<int>(i)});
    }
    nest.saved.push_back({.what = Saved::What::output});
    nest.work = [](const LocalExtents& local) {
        const double elements = volume(local);
        return Work{.forward = {stream(4 * elements, kForwardOperations / 4)},
                    .backward_input = {stream(8 * elements, kBackwardOperations / 8)}};
    };
    return nest;
}

}  // namespace dodona::graph
