// Dropout: y = x * mask / keep. It keeps one byte of mask an element and nothing else.
// Source of the byte: Korthikanti et al., arXiv:2205.05198, section 4.1. `active: false` is a rate of 0: nothing runs.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

Nest build_dropout(Attributes& attributes, std::span<const Tensor> inputs) {
    const bool active = attributes.flag("active", true);
    Nest nest = element_wise(inputs[0], 1);
    if (!active) {
        nest.linear = true;
        nest.work = [](const LocalExtents&) { return Work{}; };
        return nest;
    }
    nest.saved = {{.what = Saved::What::internal,
                   .name = "mask",
                   .element = Element::mask,
                   .loops = all_loops(nest.loops.size())}};
    nest.work = [](const LocalExtents& local) {
        const double elements = volume(local);
        const Kernel pass = stream(2 * elements, 1, elements * unit::byte);
        return Work{.forward = {pass}, .backward_input = {pass}};
    };
    return nest;
}

}  // namespace dodona::graph
