// Modulation of tokens by a condition of their sample: the adaptive layer norm of diffusion transformers.
//
//   y[b, t, f] = x[b, t, f] * (1 + scale[b, f]) + shift[b, f]     or, without a shift,     y = x * gate[b, f]
//
// Scales, shifts and gates come from one vector a sample, of which this layer takes its own part: 6 f numbers a block,
// for two norms and two gates (adaLN-Zero: Peebles and Xie, arXiv:2212.09748, section 3.2). `learned`: a table of the
// layer is added to its part, where one vector serves all blocks (adaLN-single: Chen et al., arXiv:2310.00426, section
// 2.3); scale and shift may then share their part. dScale = sum over t of dy * x, dShift = sum over t of dy: partial where
// positions are split. It saves x and the vector.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

/// By operators of PyTorch on 16-bit tensors: a product and a sum move 4 numbers an element forward where one kernel moves
/// 2, and 7 backward (dShift reads dy, dx reads dy and writes, dy * x is written and summed) where it moves 3.
constexpr Unfused kByOperators{.kernels = 2, .traffic = 11. / 5};
/// A product alone: 2 forward, and 6 backward against 3.
constexpr Unfused kGateByOperators{.kernels = 2, .traffic = 8. / 5};

}  // namespace

Nest build_modulate(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Tensor& vector = inputs[1];
    const bool shift = attributes.flag("shift", true);
    const bool learned = attributes.flag("learned", false);
    if (!is_sequence(attributes, x)) {
        return {};
    }
    constexpr int kFeature = 2;
    const Extent features = x.dimensions[kFeature].extent;
    const Extent taken = (shift ? 2 : 1) * features;
    if (vector.dimensions.size() != 2 || vector.dimensions[1].name != "feature" ||
        vector.dimensions[1].extent % features != 0 || vector.dimensions[1].extent < (learned ? features : taken)) {
        attributes.error(fmt::format("modulates {} by {}", x.shape(), vector.shape()),
                         fmt::format("give a vector a sample, of {} features or a multiple", taken));
        return {};
    }
    Nest nest = element_wise(x, 2);
    nest.loops[kFeature].can_split = false;  // shards of the vector are not of its parts
    nest.inputs[1].loops = {kBatch, kNoLoop};
    if (learned) {
        nest.weights.push_back({.name = "table", .dimensions = {{"feature", taken}}, .operand = {.loops = {kNoLoop}}});
    }
    nest.saved = {{.what = Saved::What::input, .operand = 0}, {.what = Saved::What::input, .operand = 1}};
    nest.work = [shift, learned](const LocalExtents& local) {
        const double elements = volume(local);
        const double numbers = (shift ? 2 : 1) * local[kBatch] * local[kFeature];  // of the vector
        Kernel forward = stream(2 * elements + numbers);
        forward.flops = (shift ? 2 : 1) * elements * unit::flop;
        Kernel backward = stream(3 * elements + 2 * numbers);
        backward.flops = (shift ? 4 : 3) * elements * unit::flop;
        Work work =
            unfused_as(shift ? kByOperators : kGateByOperators, {.forward = {forward}, .backward_input = {backward}});
        if (learned) {
            work.backward_weight.push_back(stream(numbers));  // its sum over samples
        }
        return work;
    };
    return nest;
}

}  // namespace dodona::graph
