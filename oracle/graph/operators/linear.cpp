// A product with a weight matrix along the last dimension.
//
//   Y[t, o] = sum over i of X[t, i] W[o, i] + bias[o],   t: batch and the leading dimensions
//
// Arithmetic 2*t*i*o per product: one forward, dX and dW backward. The bias is added in the product's epilogue and has
// no kernel of its own.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

Work work(const LocalExtents& local, std::size_t leading) {
    const double tokens = volume_of_first(local, leading);
    const double in = local.loops[leading];
    const double out = local.loops[leading + 1];
    const Kernel forward = matmul(tokens, out, in);
    return {.forward = {forward},
            .backward_input = {matmul(tokens, in, out)},
            .backward_weight = {matmul(out, in, tokens)},
            .model_forward = forward.flops};
}

bool divides(Attributes& attributes, const std::string& key, Extent unit, Extent extent) {
    if (extent % unit == 0) {
        return true;
    }
    attributes.error_at(key, fmt::format("{} features are not a whole number of units of {}", extent, unit));
    return false;
}

}  // namespace

Nest build_linear(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor& x = inputs[0];
    const Extent out = attributes.positive("out");
    const bool bias = attributes.flag("bias", true);
    const Extent unit = attributes.positive("unit", 1);
    const Extent in_unit = attributes.positive("in_unit", 1);
    const bool replicates = attributes.flag("replicates", false);
    const std::string tied = attributes.text("tied");
    if (x.dimensions.size() < 2 || x.dimensions.back().name != "feature") {
        attributes.error(fmt::format("reads {}, whose last dimension is not feature", x.shape()),
                         "put a flatten or a global_pool before it");
        return {};
    }
    const Extent in = x.dimensions.back().extent;
    if (!divides(attributes, "unit", unit, out) || !divides(attributes, "in_unit", in_unit, in)) {
        return {};
    }

    const std::size_t leading = x.dimensions.size() - 1;
    const int in_loop = static_cast<int>(leading);
    const int out_loop = in_loop + 1;
    Nest nest;
    for (std::size_t i = 0; i < leading; ++i) {
        nest.loops.push_back(loop_of(x.dimensions[i]));
    }
    nest.loops.push_back({.name = "in_feature", .extent = in, .granule = in_unit});
    nest.loops.push_back({.name = "out_feature", .extent = out, .granule = unit, .replicates = replicates});

    Operand read{.loops = all_loops(leading)};
    Operand written = read;
    read.loops.push_back(in_loop);
    written.loops.push_back(out_loop);
    nest.inputs = {read};
    nest.output = written;
    nest.weights.push_back({.name = "weight",
                            .dimensions = {{"out_feature", out}, {"in_feature", in}},
                            .operand = {.loops = {out_loop, in_loop}},
                            .tied_to = tied,
                            .form = MatrixForm::flat});
    if (bias) {
        nest.weights.push_back(
            {.name = "bias", .dimensions = {{"out_feature", out}}, .operand = {.loops = {out_loop}}});
    }
    nest.result = x;
    nest.result.dimensions.back() = {"feature", out};
    nest.saved = {{.what = Saved::What::input, .for_weights = true}};
    nest.linear = true;
    nest.work = [leading](const LocalExtents& local) { return work(local, leading); };
    return nest;
}

}  // namespace dodona::graph
