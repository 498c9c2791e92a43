// Softmax over the last dimension: y = exp(x - max x) / sum of exp(x - max x); dx = y * (dy - sum of dy*y).
//
// Where that dimension is split, maximum and sum are reduced forward, the sum of dy*y backward.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

Nest build_softmax(Attributes& attributes, std::span<const Tensor> inputs) {
    if (!has_features(attributes, inputs[0])) {
        return {};
    }
    Nest nest = element_wise(inputs[0], 1);
    const int last = static_cast<int>(nest.loops.size()) - 1;
    nest.statistics = {
        {.over = {last}, .kept = all_loops(static_cast<std::size_t>(last)), .forward = 2, .backward = 1}};
    nest.saved = {{.what = Saved::What::output}};
    nest.work = [](const LocalExtents& local) {
        const double elements = volume(local);
        return of_primitive(Primitive::softmax,
                            {.forward = {stream(2 * elements, 2.5)}, .backward_input = {stream(3 * elements)}});
    };
    return nest;
}

}  // namespace dodona::graph
