// Linear attention, in chunks of positions: a state of each head goes through the sequence in place of keys and values.
//
// linear_attention: a state that decays, as in the state-space layers of Mamba-2, lightning attention, xLSTM's matrix memory.
//
//   S[t] = a[t] S[t-1] + v[t] k[t]^T,   o[t] = S[t] q[t]        per sample and head; heads may share keys and queries
//
// In Mamba-2's words v is x, k is B, q is C, and a follows from dt and A. Within a chunk of C positions O = (D * Q K^T) V
// with D the decays between two positions; the state of each chunk, V^T K, goes to the next, and adds Q S to its output.
// Source: Dao and Gu, arXiv:2405.21060, section 6 (state space duality), which state-spaces/mamba computes in
// mamba_ssm/ops/triton/ssd_combined.py: Q K^T once for all heads that share it, states carried in fp32. Qin et al.,
// arXiv:2401.04658 (lightning attention), has the same products, with decays that are not learned.
//
// Arithmetic forward, a position, d and e features of a key's and a value's head: 2 C d for each head of keys, 2 C e + 4 d e
// for each head. Backward makes the states and Q K^T again, and two products of each.
//
// gated_delta: a state that also corrects itself.
//
//   S[t] = a[t] S[t-1] (I - b[t] k[t] k[t]^T) + b[t] v[t] k[t]^T,   o[t] = S[t] q[t]
//
// a[t] and b[t], a number each for a head and position, come from the last input and two learned numbers a head. Within a
// chunk the products of its keys are inverted as a triangular matrix, T = (I + tril(K K^T))^-1, so that W = T K and U = T V;
// the state goes from chunk to chunk, and O = Q S + tril(Q K^T) V. Source: Yang et al., arXiv:2412.06464, section 3.3; the
// chunked kernels of fla-org/flash-linear-attention: fla/ops/gated_delta_rule.
//
// With a decay a[t] of each feature of the key, S[t] = S[t-1] diag(a[t]) (I - ...), keys and queries are scaled by its
// products within the chunk, which are summed as logarithms in fp32: one pass more. Source: Kimi Team, arXiv:2510.26692,
// section 3 (KDA); fla/ops/kda. Where what is removed and how strongly are vectors of their own, the transition is
// diag(a[t]) - p[t] r[t]^T; then scores and outputs have two pairs of factors. Source: Peng et al., arXiv:2503.14456,
// section 4.1 (RWKV-7); fla/ops/generalized_delta_rule/dplr.
//
// Arithmetic forward, a position and head, n = 1 pair of factors, or 2: 2 C (2 n d + (d + n e) + n e) within chunks,
// 2 (2 + n) d e with the state. Backward makes W, U and the states again, and two products of each. T is kept.
//
// Both keep their inputs. Heads may be split; positions not, as the state goes through all of them.
#include <algorithm>

#include <fmt/format.h>

#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr int kPosition = 1, kStateHead = 2;

struct StateShape {
    double key_size = 1;      ///< features of a head's query and key
    double value_size = 1;    ///< features of a head's value and output
    double key_share = 1;     ///< heads of keys over heads
    double chunk = 1;         ///< positions
    double pairs = 1;         ///< of the delta rule: pairs of factors of the scores within a chunk
    bool by_feature = false;  ///< of the delta rule: each feature of a key decays by itself
};

/// Two products for the gradients of both operands of each.
void add_gradients(std::vector<Kernel>& kernels, std::initializer_list<Kernel> products) {
    for (const Kernel& product : products) {
        kernels.push_back(matmul(product.m, product.k, product.n, product.batch));
        kernels.push_back(matmul(product.k, product.n, product.m, product.batch));
    }
}

Work decay_work(const LocalExtents& local, const StateShape& shape) {
    const double chunks = local[kBatch] * local[kStateHead] * local[kPosition] / shape.chunk;
    const double c = shape.chunk;
    const double d = shape.key_size;
    const double e = shape.value_size;
    const Kernel scores = matmul(c, c, d, chunks * shape.key_share);
    const Kernel states = matmul(e, d, c, chunks);
    const Kernel outputs = matmul(c, e, c + d, chunks);  // of the chunk itself and of the state before it
    const Kernel carry = stream(0, 0, chunks * d * e * Bytes::of_base(2 * 4));
    Work work{.forward = {states, carry, scores, outputs},
              .backward_input = {states, carry, scores, carry},
              .model_forward = states.flops + scores.flops + outputs.flops};
    add_gradients(work.backward_input, {states, scores, outputs});
    return work;
}

Work delta_work(const LocalExtents& local, const StateShape& shape) {
    const double heads = local[kBatch] * local[kStateHead];
    const double chunks = heads * local[kPosition] / shape.chunk;
    const double c = shape.chunk;
    const double d = shape.key_size;
    const double e = shape.value_size;
    const double n = shape.pairs;
    const Kernel keys = matmul(c, c, d, n * chunks);
    const Kernel inverse = stream(2 * heads * local[kPosition] * c, c / 2);
    const Kernel updates = matmul(c, d + n * e, c, chunks);                 // W and U
    const Kernel states = matmul(d, e, (1 + n) * local[kPosition], heads);  // W S and K^T (U - W S), chunk after chunk
    const Kernel scores = matmul(c, c, d, n * chunks);
    const Kernel outputs = matmul(c, e, d + n * c, chunks);  // Q S and the scores' V
    Work work{.forward = {keys, inverse, updates, states, scores, outputs},
              .backward_input = {updates, states},
              .model_forward = keys.flops + updates.flops + states.flops + scores.flops + outputs.flops};
    add_gradients(work.backward_input, {keys, updates, states, scores, outputs});
    work.backward_input.push_back(inverse);
    if (shape
            .by_feature) {  // the decays, queries and keys read; sums in fp32 written and read twice; scaled copies written
        const double features = heads * local[kPosition] * d;
        const Kernel scaled = stream((3 + 2) * features, 2, features * Bytes::of_base(3 * 4));
        work.forward.insert(work.forward.begin(), scaled);
        work.backward_input.insert(work.backward_input.begin(), {scaled, scaled});  // again, and their gradients
    }
    return work;
}

/// Both have heads of queries, keys and values, a state each, and gates, as many for each head (0: any number).
struct Heads {
    Nest nest;
    StateShape shape;
    Extent heads = 1;
};

std::optional<Heads> read_heads(Attributes& attributes, std::span<const Tensor> inputs, Extent chunk, Extent gates) {
    const Extent heads = attributes.positive("heads");
    const Extent key_heads = attributes.positive("key_heads", heads);
    chunk = attributes.positive("chunk", chunk);
    if (!std::all_of(inputs.begin(), inputs.end(), [&](const Tensor& x) { return is_sequence(attributes, x); })) {
        return std::nullopt;
    }
    if (heads % key_heads != 0) {
        attributes.error_at("key_heads", fmt::format("{} heads are not a multiple of {} key heads", heads, key_heads));
        return std::nullopt;
    }
    const Extent q = inputs[0].dimensions[2].extent;
    const Extent k = inputs[1].dimensions[2].extent;
    const Extent v = inputs[2].dimensions[2].extent;
    const Extent gated = inputs.size() < 4 ? 0 : inputs[3].dimensions[2].extent;
    const bool gates_agree = gates == 0 ? gated % heads == 0 : gated == gates * heads;
    if (q != k || k % key_heads != 0 || v % heads != 0 || !gates_agree) {
        attributes.error_at(
            "heads", fmt::format("{} features of queries, {} of keys, {} of values and {} of gates are "
                                 "not those of {} heads of keys and {} of values with {} gates each",
                                 q, k, v, gated, key_heads, heads, gates == 0 ? "as many" : std::to_string(gates)));
        return std::nullopt;
    }
    const Extent positions = inputs[0].dimensions[1].extent;
    const Extent key_size = k / key_heads;
    const Extent value_size = v / heads;
    Heads result{.nest = {},
                 .shape = {.key_size = static_cast<double>(key_size),
                           .value_size = static_cast<double>(value_size),
                           .key_share = static_cast<double>(key_heads) / static_cast<double>(heads),
                           .chunk = static_cast<double>(std::min(chunk, positions))},
                 .heads = heads};
    Nest& nest = result.nest;
    nest.loops = {{.name = "batch"},
                  {.name = "sequence", .extent = positions, .can_split = false},
                  {.name = "head", .extent = heads}};
    nest.inputs.assign(inputs.size(), {.loops = {kBatch, kPosition, kStateHead}});
    nest.output = nest.inputs[0];
    nest.result = inputs[2];
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        nest.saved.push_back({.what = Saved::What::input, .operand = static_cast<int>(i)});
    }
    nest.follows = true;
    return result;
}

/// Learned numbers, `count` for each head.
Weight numbers_of_heads(std::string name, Extent count, Extent heads) {
    return {.name = std::move(name),
            .dimensions = {{"number", count}, {"head", heads}},
            .operand = {.loops = {kNoLoop, kStateHead}}};
}

}  // namespace

Nest build_linear_attention(Attributes& attributes, std::span<const Tensor> inputs) {
    const Extent learned = attributes.not_negative("learned", 0);
    auto read = read_heads(attributes, inputs, 256, 0);
    if (!read) {
        return {};
    }
    if (learned > 0) {
        read->nest.weights = {numbers_of_heads("decay, step and skip", learned, read->heads)};
    }
    read->nest.work = [shape = read->shape](const LocalExtents& local) { return decay_work(local, shape); };
    return read->nest;
}

Nest build_gated_delta(Attributes& attributes, std::span<const Tensor> inputs) {
    constexpr std::size_t kOfHeads = 4, kOfFeatures = 5, kOfPairs = 6;  // inputs
    const bool by_feature = inputs.size() > kOfHeads;
    auto read = read_heads(attributes, inputs, 64, by_feature ? 0 : 2);
    if (!read) {
        return {};
    }
    for (std::size_t i = kOfHeads - 1; by_feature && i < inputs.size(); ++i) {
        const bool is_step = i == kOfFeatures - 1 && inputs.size() == kOfFeatures;
        const Extent due = is_step ? read->heads : inputs[1].dimensions[2].extent;
        if (inputs[i].dimensions[2].extent != due || read->shape.key_share != 1) {
            attributes.error(
                fmt::format("reads {} as its input {}, which needs {} features, and as many heads of keys "
                            "as of values",
                            inputs[i].shape(), i + 1, due));
            return {};
        }
    }
    const auto key_size = static_cast<Extent>(read->shape.key_size);
    if (inputs.size() != kOfPairs) {
        read->nest.weights = {numbers_of_heads("decay and time step", by_feature ? 1 + key_size : 2, read->heads)};
    }
    read->shape.by_feature = by_feature;
    read->shape.pairs = inputs.size() == kOfPairs ? 2 : 1;
    read->nest.saved.push_back({.what = Saved::What::internal,
                                .name = "inverses of chunks",
                                .loops = {kBatch, kPosition, kStateHead},
                                .factor = read->shape.chunk});
    read->nest.work = [shape = read->shape](const LocalExtents& local) { return delta_work(local, shape); };
    return read->nest;
}

}  // namespace dodona::graph
