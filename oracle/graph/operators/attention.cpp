// Scaled dot-product attention.
//
//   S = Q K^T / sqrt(d);  P = dropout(softmax(mask(S)));  O = P V        per sample and head
//
// Arithmetic forward 2*q*k*d for S and 2*q*k*e for O (q queries, k keys, d and e features of a key's and a value's
// head); a causal mask needs half. Source: Narayanan et al., arXiv:2104.04473, appendix (there d = e, unmasked).
//
// `materialised` writes S and P to memory, works on the full square and keeps P, and with dropout its mask and its
// result: 5*a*s^2*b bytes at two bytes an element (Korthikanti et al., arXiv:2205.05198, equation 2).
// `fused` keeps everything on the chip, skips the masked half, and in backward recomputes S: five products against two
// (Dao, arXiv:2307.08691, section 4). Its log-sum-exp, one number a query and head, is in the traffic, but not in
// memory.
//
// Where queries are split under a causal mask, the shards are assumed to carry equal work (zigzag order).
#include <algorithm>

#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

/// Loops that count heads, queries and keys, and what does not depend on the shard.
struct Shape {
    int head = 0, query = 0, key = 0;
    double key_size = 0;    ///< features of a head's query and key
    double value_size = 0;  ///< features of a head's value and output
    double key_share = 1;   ///< key/value heads per head
    bool causal = false;
    bool dropout = false;
};

/// What one device has.
struct Local {
    double heads;      ///< heads of all its samples
    double key_heads;  ///< key/value heads of all its samples; at least one a sample
    double queries;
    double keys;
    double square;  ///< elements of S
};

Local local_sizes(const LocalExtents& local, const Shape& shape) {
    const double samples = local[0];
    const double heads = samples * local[shape.head];
    const double queries = local[shape.query];
    const double keys = local[shape.key];
    return {.heads = heads,
            .key_heads = samples * std::max(1.0, local[shape.head] * shape.key_share),
            .queries = queries,
            .keys = keys,
            .square = heads * queries * keys};
}

Flop model_forward(const Local& local, const Shape& shape) {
    const double masked = shape.causal ? 0.5 : 1.0;
    return masked * 2 * local.square * (shape.key_size + shape.value_size) * unit::flop;
}

/// A pass over `squares` tensors of the size of S, and the dropout mask where `mask`.
Kernel pass(const Local& local, double squares, double flops, bool mask) {
    Kernel kernel = stream(squares * local.square, 0, mask ? local.square * unit::byte : Bytes{});
    kernel.flops = flops * local.square * unit::flop;
    return kernel;
}

std::vector<Kernel> materialised_forward(const LocalExtents& extents, const Shape& shape) {
    const Local local = local_sizes(extents, shape);
    std::vector<Kernel> kernels{matmul(local.queries, local.keys, shape.key_size, local.heads),
                                pass(local, 2, 6, false)};  // scale, mask and softmax in one pass
    if (shape.dropout) {
        kernels.push_back(pass(local, 2, 1, true));
    }
    kernels.push_back(matmul(local.queries, shape.value_size, local.keys, local.heads));
    return kernels;
}

std::vector<Kernel> materialised_backward(const LocalExtents& extents, const Shape& shape) {
    const Local local = local_sizes(extents, shape);
    std::vector<Kernel> kernels{matmul(local.queries, local.keys, shape.value_size, local.heads),   // dP = dO V^T
                                matmul(local.keys, shape.value_size, local.queries, local.heads)};  // dV = P^T dO
    if (shape.dropout) {
        kernels.push_back(pass(local, 2, 1, true));
    }
    kernels.push_back(pass(local, 3, 4, false));                                        // dS from P and dP
    kernels.push_back(matmul(local.queries, shape.key_size, local.keys, local.heads));  // dQ = dS K
    kernels.push_back(matmul(local.keys, shape.key_size, local.queries, local.heads));  // dK = dS^T Q
    return kernels;
}

Work materialised(const LocalExtents& extents, const Shape& shape) {
    return {.forward = materialised_forward(extents, shape),
            .backward_input = materialised_backward(extents, shape),
            .backward_weight = {},
            .model_forward = model_forward(local_sizes(extents, shape), shape)};
}

Work fused(const LocalExtents& extents, const Shape& shape) {
    const Local local = local_sizes(extents, shape);
    const double both = shape.key_size + shape.value_size;
    const double query_side = local.heads * local.queries * both;    // q and o
    const double key_side = local.key_heads * local.keys * both;     // k and v
    const Bytes row = 4 * local.heads * local.queries * unit::byte;  // one fp32 number a query
    const Flop arithmetic = model_forward(local, shape);
    const Kernel forward{.kind = KernelKind::attention,
                         .m = local.queries,
                         .n = local.keys,
                         .k = shape.key_size,
                         .batch = local.heads,
                         .flops = arithmetic,
                         .elements = query_side + key_side,
                         .fixed_bytes = row};
    // S, dQ and dK are products over keys' features, dP and dV over values'. q, k, v, o and dO are read, dQ, dK and dV
    // written; log-sum-exp and the row sums of dO*O are read.
    Kernel backward = forward;
    backward.flops = arithmetic * ((3 * shape.key_size + 2 * shape.value_size) / both);
    backward.elements = 2 * (query_side + key_side);
    backward.fixed_bytes = 2 * row;
    return {.forward = {forward}, .backward_input = {backward}, .backward_weight = {}, .model_forward = arithmetic};
}

struct Wanted {
    Extent heads = 1;
    Extent key_heads = 1;
    bool causal = false;
    bool dropout = false;
    bool materialised = false;
};

/// Loops and operands of a single tensor that holds q, k and v of each head. Its sequence counts queries and keys at
/// once, so it cannot be split: every query needs every key.
std::optional<Shape> one_operand(Attributes& attributes, const Tensor& x, const Wanted& wanted, Nest& nest) {
    const Extent parts = wanted.heads + 2 * wanted.key_heads;
    const Extent features = x.dimensions[2].extent;
    if (features % parts != 0) {
        attributes.error_at("heads",
                            fmt::format("{} features are not {} heads of queries, keys and values", features, parts));
        return std::nullopt;
    }
    constexpr int kSequence = 1, kHead = 2;
    nest.loops = {{.name = "batch"},
                  {.name = "sequence", .extent = x.dimensions[1].extent, .can_split = false},
                  {.name = "head", .extent = wanted.heads}};
    nest.inputs = {{.loops = {0, kSequence, kHead}, .windows = {}}};
    const Extent size = features / parts;
    return Shape{.head = kHead,
                 .query = kSequence,
                 .key = kSequence,
                 .key_size = static_cast<double>(size),
                 .value_size = static_cast<double>(size)};
}

/// Loops and operands of separate q, k and v. Queries may be split; then each shard needs all keys and values.
std::optional<Shape> three_operands(Attributes& attributes, std::span<const Tensor> inputs, const Wanted& wanted,
                                    Nest& nest) {
    const Tensor &q = inputs[0], &k = inputs[1], &v = inputs[2];
    const Extent queries = q.dimensions[1].extent;
    const Extent keys = k.dimensions[1].extent;
    if (keys != v.dimensions[1].extent) {
        attributes.error(fmt::format("reads keys {} and values {} of different lengths", k.shape(), v.shape()));
        return std::nullopt;
    }
    if (wanted.causal && queries != keys) {
        attributes.error_at("causal",
                            fmt::format("{} queries see {} keys; a causal mask needs as many", queries, keys));
        return std::nullopt;
    }
    const Extent q_features = q.dimensions[2].extent;
    const Extent k_features = k.dimensions[2].extent;
    const Extent v_features = v.dimensions[2].extent;
    if (q_features % wanted.heads != 0 || k_features % wanted.key_heads != 0 || v_features % wanted.key_heads != 0 ||
        q_features / wanted.heads != k_features / wanted.key_heads) {
        attributes.error_at("heads", fmt::format("{} features of queries, {} of keys and {} of values are not {} and "
                                                 "{} heads of one size",
                                                 q_features, k_features, v_features, wanted.heads, wanted.key_heads));
        return std::nullopt;
    }
    const Extent key_size = q_features / wanted.heads;
    const Extent value_size = v_features / wanted.key_heads;
    constexpr int kHead = 1, kQuery = 2, kKey = 3;
    nest.loops = {{.name = "batch"},
                  {.name = "head", .extent = wanted.heads},
                  {.name = "query", .extent = queries},
                  {.name = "key", .extent = keys, .can_split = false}};
    const Operand key_operand{.loops = {0, kKey, kHead}, .windows = {}};
    nest.inputs = {{.loops = {0, kQuery, kHead}, .windows = {}}, key_operand, key_operand};
    return Shape{.head = kHead,
                 .query = kQuery,
                 .key = kKey,
                 .key_size = static_cast<double>(key_size),
                 .value_size = static_cast<double>(value_size)};
}

/// Q, K and V (one tensor or three), and what the implementation keeps beside them.
void add_saved(Nest& nest, const Shape& shape, bool keeps_square) {
    for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
        nest.saved.push_back({.what = Saved::What::input, .operand = static_cast<int>(i)});
    }
    if (!keeps_square) {
        nest.saved.push_back({.what = Saved::What::output});
        return;
    }
    // Keys are never split, so their count is a factor.
    Saved square{.what = Saved::What::internal,
                 .name = "probabilities",
                 .loops = {0, shape.head, shape.query},
                 .factor = static_cast<double>(nest.loops[static_cast<std::size_t>(shape.key)].extent),
                 .selective = true};
    nest.saved.push_back(square);
    if (shape.dropout) {
        square.name = "dropped probabilities";
        nest.saved.push_back(square);
        square.name = "mask";
        square.element = Element::mask;
        nest.saved.push_back(square);
    }
}

bool are_sequences(Attributes& attributes, std::span<const Tensor> inputs) {
    if (inputs.size() == 2) {
        attributes.error("reads 2 tensors, but needs one of queries, keys and values, or one of each");
        return false;
    }
    for (const Tensor& x : inputs) {
        if (x.dimensions.size() != 3 || x.dimensions[1].name != "sequence" || x.dimensions[2].name != "feature") {
            attributes.error(fmt::format("reads {}, but needs sequence and feature", x.shape()));
            return false;
        }
    }
    return true;
}

}  // namespace

Nest build_attention(Attributes& attributes, std::span<const Tensor> inputs) {
    Wanted wanted;
    wanted.heads = attributes.positive("heads");
    wanted.key_heads = attributes.positive("kv_heads", wanted.heads);
    wanted.causal = attributes.flag("causal", false);
    wanted.dropout = attributes.flag("dropout", false);
    wanted.materialised = attributes.word("implementation", {"fused", "materialised"}, "fused") == "materialised";
    if (!are_sequences(attributes, inputs)) {
        return {};
    }
    if (wanted.heads % wanted.key_heads != 0) {
        attributes.error_at("kv_heads", fmt::format("{} heads are not a multiple of {} key/value heads", wanted.heads,
                                                    wanted.key_heads));
        return {};
    }

    Nest nest;
    const auto found = inputs.size() == 1 ? one_operand(attributes, inputs[0], wanted, nest)
                                          : three_operands(attributes, inputs, wanted, nest);
    if (!found) {
        return {};
    }
    Shape shape = *found;
    shape.causal = wanted.causal;
    shape.dropout = wanted.dropout;
    shape.key_share = static_cast<double>(wanted.key_heads) / static_cast<double>(wanted.heads);

    nest.output = nest.inputs[0];
    nest.result = inputs[0];
    nest.result.dimensions[2].extent = wanted.heads * static_cast<Extent>(shape.value_size);
    add_saved(nest, shape, wanted.materialised);
    if (wanted.materialised) {
        nest.work = [shape](const LocalExtents& local) { return materialised(local, shape); };
        nest.selective_work = [shape](const LocalExtents& local) { return materialised_forward(local, shape); };
    } else {
        nest.work = [shape](const LocalExtents& local) { return fused(local, shape); };
    }
    return nest;
}

}  // namespace dodona::graph
