// Flatten: all dimensions beside the batch become one. A view: no kernel runs and nothing is saved.
#include "graph/operators/builders.hpp"

namespace dodona::graph {

/// feature = (channel * H + h) * W + w: the channel is the major part, so features can be split as channels are; the
/// positions within a channel cannot be split.
Nest build_flatten(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    if (!has_features(attributes, x)) {
        return {};
    }
    Nest nest = element_wise(x, 1);
    Extent features = 1;
    for (std::size_t i = 1; i < x.dimensions.size(); ++i) {
        features *= x.dimensions[i].extent;
        nest.loops[i].can_split = i == 1;
    }
    nest.output = {.loops = {0, 1}};
    nest.result.dimensions = {x.dimensions[0], {"feature", features}};
    nest.linear = true;
    nest.work = [](const LocalExtents&) { return Work{}; };
    return nest;
}

}  // namespace dodona::graph
