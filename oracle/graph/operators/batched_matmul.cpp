// A product of two tensors, sample by sample.
//
//   transposed   Y[..., q, k] = sum over i of A[..., q, i] B[..., k, i]     as queries with keys
//   else         Y[..., q, o] = sum over k of A[..., q, k] B[..., k, o]     as probabilities with values
//
// Loops: the leading dimensions by name, `query` for A's rows, `key` for B's, and `in_feature` or `out_feature`. All
// may be split: `key` contracted is a partial sum. Arithmetic 2*q*k*i a sample; dA and dB are two products more.
#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

struct Product {
    std::size_t leading = 1;  ///< dimensions with one product each
    std::size_t rows = 0, columns = 0, contracted = 0;
};

Work work(const LocalExtents& local, const Product& product) {
    const double batch = volume_of_first(local, product.leading);
    const double m = local.loops[product.rows];
    const double n = local.loops[product.columns];
    const double k = local.loops[product.contracted];
    const Kernel forward = matmul(m, n, k, batch);
    return {.forward = {forward},
            .backward_input = {matmul(m, k, n, batch), matmul(k, n, m, batch)},
            .model_forward = forward.flops};
}

}  // namespace

Nest build_batched_matmul(Attributes& attributes, std::span<const Tensor> inputs) {
    const Tensor &a = inputs[0], &b = inputs[1];
    const bool transposed = attributes.flag("transposed", false);
    const std::size_t count = a.dimensions.size();
    bool fit = count >= 3 && b.dimensions.size() == count;
    for (std::size_t i = 0; fit && i + 2 < count; ++i) {
        fit = a.dimensions[i] == b.dimensions[i];
    }
    if (!fit || a.dimensions[count - 1].extent != b.dimensions[count - (transposed ? 1 : 2)].extent) {
        attributes.error(fmt::format("reads {} and {}, which do not multiply", a.shape(), b.shape()),
                         transposed ? "the leading dimensions and the last are to be the same"
                                    : "the leading dimensions are to be the same, and the last of the first tensor the "
                                      "last but one of the second; `transposed: true` takes its last");
        return {};
    }
    Nest nest;
    const std::size_t leading = count - 2;
    for (std::size_t i = 0; i < leading; ++i) {
        nest.loops.push_back({.name = a.dimensions[i].name, .extent = a.dimensions[i].extent});
    }
    const int query = static_cast<int>(leading), key = query + 1, feature = query + 2;
    nest.loops.push_back({.name = "query", .extent = a.dimensions[leading].extent});
    nest.loops.push_back({.name = "key", .extent = b.dimensions[leading].extent});
    nest.loops.push_back({.name = transposed ? "in_feature" : "out_feature", .extent = b.dimensions[count - 1].extent});

    const auto operand = [leading](int rows, int columns) {
        Operand built{.loops = all_loops(leading)};
        built.loops.push_back(rows);
        built.loops.push_back(columns);
        return built;
    };
    nest.inputs = {operand(query, transposed ? feature : key), operand(key, feature)};
    nest.output = operand(query, transposed ? key : feature);
    nest.result = a;
    nest.result.dimensions[count - 1].extent = b.dimensions[transposed ? leading : count - 1].extent;
    nest.saved = {{.what = Saved::What::input, .operand = 0}, {.what = Saved::What::input, .operand = 1}};
    const Product product{.leading = leading,
                          .rows = leading,
                          .columns = static_cast<std::size_t>(transposed ? key : feature),
                          .contracted = static_cast<std::size_t>(transposed ? feature : key)};
    nest.work = [product](const LocalExtents& local) { return work(local, product); };
    return nest;
}

}  // namespace dodona::graph
