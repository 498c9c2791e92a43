// The gated delta rule: linear attention whose state forgets and corrects itself, in chunks of positions.
//
//   S[t] = a[t] S[t-1] (I - b[t] k[t] k[t]^T) + b[t] v[t] k[t]^T,   o[t] = S[t] q[t]        per sample and head
//
// a[t] and b[t], a number each for a head and position, come from the last input and two learned numbers a head. Within a
// chunk of C positions the products of its keys are inverted as a triangular matrix, T = (I + tril(K K^T))^-1, so that
// W = T K and U = T V; the state goes from chunk to chunk, and O = Q S + tril(Q K^T) V. Source: Yang et al.,
// arXiv:2412.06464, section 3.3; the chunked kernels of fla-org/flash-linear-attention: fla/ops/gated_delta_rule.
//
// Arithmetic forward, a position and head, d and e features of a key's and a value's head: 2 C (2 d + (d + e) + e) within
// chunks, 6 d e with the state. Backward makes W, U and the states again, and two products of each. Inputs and T are
// kept. Heads may be split; positions not, as the state goes through all of them.
#include <algorithm>

#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr int kPosition = 1, kDeltaHead = 2;

struct DeltaShape {
    double key_size = 1;    ///< features of a head's query and key
    double value_size = 1;  ///< features of a head's value and output
    double chunk = 1;       ///< positions
};

/// The matrix products of forward, in order.
struct Products {
    Kernel keys;     ///< K K^T
    Kernel updates;  ///< W and U
    Kernel states;   ///< W S and K^T (U - W S), chunk after chunk
    Kernel scores;   ///< Q K^T
    Kernel outputs;  ///< Q S and the scores' V

    [[nodiscard]] std::vector<Kernel> all() const { return {keys, updates, states, scores, outputs}; }
};

Products products_of(const LocalExtents& local, const DeltaShape& shape) {
    const double heads = local[kBatch] * local[kDeltaHead];
    const double chunks = heads * local[kPosition] / shape.chunk;
    const double c = shape.chunk;
    const double d = shape.key_size;
    const double e = shape.value_size;
    return {.keys = matmul(c, c, d, chunks),
            .updates = matmul(c, d + e, c, chunks),
            .states = matmul(d, e, 2 * local[kPosition], heads),
            .scores = matmul(c, c, d, chunks),
            .outputs = matmul(c, e, d + c, chunks)};
}

Work delta_work(const LocalExtents& local, const DeltaShape& shape) {
    const Products products = products_of(local, shape);
    const double triangle = local[kBatch] * local[kDeltaHead] * local[kPosition] * shape.chunk;
    const Kernel inverse = stream(2 * triangle, shape.chunk / 2);
    Work work{.forward = {products.keys, inverse, products.updates, products.states, products.scores, products.outputs},
              .backward_input = {products.updates, products.states},
              .backward_weight = {},
              .model_forward = Flop{}};
    for (const Kernel& product : products.all()) {
        work.model_forward += product.flops;
        work.backward_input.push_back(matmul(product.m, product.k, product.n, product.batch));
        work.backward_input.push_back(matmul(product.k, product.n, product.m, product.batch));
    }
    work.backward_input.push_back(inverse);
    return work;
}

bool features_agree(Attributes& attributes, std::span<const Tensor> inputs, Extent heads, Extent key_heads) {
    const Extent q = inputs[0].dimensions[2].extent;
    const Extent k = inputs[1].dimensions[2].extent;
    const Extent v = inputs[2].dimensions[2].extent;
    const Extent gates = inputs[3].dimensions[2].extent;
    if (heads % key_heads != 0) {
        attributes.error_at("key_heads", fmt::format("{} heads are not a multiple of {} key heads", heads, key_heads));
        return false;
    }
    if (q != k || k % key_heads != 0 || v % heads != 0 || gates != 2 * heads) {
        attributes.error_at("heads", fmt::format("{} features of queries, {} of keys, {} of values and {} of gates are "
                                                 "not those of {} heads of keys and {} of values with two gates each",
                                                 q, k, v, gates, key_heads, heads));
        return false;
    }
    return true;
}

}  // namespace

Nest build_gated_delta(Attributes& attributes, std::span<const Tensor> inputs) {
    const Extent heads = attributes.positive("heads");
    const Extent key_heads = attributes.positive("key_heads", heads);
    const Extent chunk = attributes.positive("chunk", 64);
    for (const Tensor& x : inputs) {
        if (!is_sequence(attributes, x)) {
            return {};
        }
    }
    if (!features_agree(attributes, inputs, heads, key_heads)) {
        return {};
    }
    Nest nest;
    const Extent positions = inputs[0].dimensions[1].extent;
    nest.loops = {{.name = "batch"},
                  {.name = "sequence", .extent = positions, .can_split = false},
                  {.name = "head", .extent = heads}};
    nest.inputs.assign(inputs.size(), {.loops = {kBatch, kPosition, kDeltaHead}, .windows = {}});
    for (const char* name : {"decay", "time step"}) {
        nest.weights.push_back({.name = name,
                                .dimensions = {{"head", heads}},
                                .operand = {.loops = {kDeltaHead}, .windows = {}},
                                .tied_to = {}});
    }
    nest.output = nest.inputs[0];
    nest.result = inputs[2];
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        nest.saved.push_back({.what = Saved::What::input, .operand = static_cast<int>(i)});
    }
    nest.saved.push_back({.what = Saved::What::internal,
                          .name = "inverses of chunks",
                          .loops = {kBatch, kPosition, kDeltaHead},
                          .factor = static_cast<double>(chunk)});
    nest.follows = true;
    const std::int64_t key_size = inputs[1].dimensions[2].extent / key_heads;
    const std::int64_t value_size = inputs[2].dimensions[2].extent / heads;
    const DeltaShape shape{.key_size = static_cast<double>(key_size),
                           .value_size = static_cast<double>(value_size),
                           .chunk = static_cast<double>(std::min(chunk, positions))};
    nest.work = [shape](const LocalExtents& local) { return delta_work(local, shape); };
    return nest;
}

}  // namespace dodona::graph
