// The loss of all alignments of a sequence of frames with its labels (connectionist temporal classification).
//
//   loss = -log sum over paths p that collapse to the labels of product over t of y[t, p[t]],   y = softmax(x)
//
// Softmax over the classes in fp32, then sums forward and backward over the frames and the 2 L + 1 states between and on L
// labels, 4 bytes each, kept for the gradient. Source: Graves et al., ICML 2006, section 4; pytorch/pytorch:
// aten/src/ATen/native/cuda/LossCTC.cu. Frames cannot be split, as the sums go through all of them; not modelled: the
// steps' latency.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

Nest build_ctc_loss(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent labels = attributes.positive("labels");
    if (!is_sequence(attributes, x)) {
        return {};
    }
    constexpr int kSequence = 1, kClass = 2;
    if (labels > x.dimensions[kSequence].extent) {
        attributes.error_at("labels", fmt::format("{} labels for {} frames", labels, x.dimensions[kSequence].extent));
        return {};
    }
    Nest nest = element_wise(x, 1);
    nest.loops[kSequence].can_split = false;
    nest.loops[kClass].name = "class";
    nest.loops[kClass].can_split = false;
    nest.output.loops = {kBatch};
    nest.result.dimensions.resize(1);
    const double states = 2 * static_cast<double>(labels) + 1;
    nest.saved = {{.what = Saved::What::internal,
                   .name = "probabilities",
                   .element = Element::single,
                   .loops = all_loops(3),
                   .logits = true},
                  {.what = Saved::What::internal,
                   .name = "paths",
                   .element = Element::single,
                   .loops = {kBatch, kSequence},
                   .factor = states}};
    nest.work = [states](const LocalExtents& local) {
        const double elements = volume(local);
        const Bytes logits = 4 * elements * unit::byte;
        const Bytes paths = 4 * local[kBatch] * local[kSequence] * states * unit::byte;
        return Work{.forward = {stream(elements, 5, logits), stream(0, 0, 2 * paths)},
                    .backward_input = {stream(0, 0, 3 * paths), stream(elements, 2, logits)}};
    };
    return nest;
}

}  // namespace dodona::graph
