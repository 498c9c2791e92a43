// A network as an exporter traced it: operators on tensors, before anything of it is a layer.
//
// Exporters write an operator in many ways (a layer norm is one node or nine). What reads a format maps its operators to
// those below, `fused` finds the ones that were taken apart, and `layers_of` makes layers of what is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace dodona::files {

using TensorId = std::size_t;
using Shape = std::vector<std::int64_t>;

/// Learnt numbers of one tensor at most, so that sums over all of them are numbers too.
inline constexpr std::int64_t kMaxWeights = 10'000'000'000'000;

inline constexpr TensorId kNoTensor = static_cast<TensorId>(-1);  ///< an input that is left out

/// What a node does. Inputs in this order; weights are tensors like others.
enum class TracedOp {
    unknown,
    same,       ///< copies, casts, and dropout of a network that is exported for inference
    dropout,    ///< of a network that is exported for training
    reshape,    ///< to the shape of its result
    transpose,  ///< `axes`: of the input, in the order of the result
    expand,     ///< repeats axes of extent 1
    slice,      ///< a part of `axis`, wherever it starts; the axis goes where the result has one less
    split,      ///< `axis`: all of it, in as many parts as results
    concat,     ///< `axis`
    pad,        ///< `pad`: before each axis, then after each
    conv,       ///< x, weight, bias; `kernel`, `stride`, `pad` (before and after each), `dilation`, `groups`
    conv_transpose,
    linear,  ///< x, weight, bias; `transposed`: the weight has the outputs last
    matmul,
    batch_norm,  ///< x, scale, bias
    layer_norm,  ///< x, scale, bias over the last axis
    rms_norm,
    group_norm,  ///< `groups`
    instance_norm,
    local_response_norm,  ///< `size`
    relu,
    gelu,
    silu,
    sigmoid,
    tanh,
    leaky_relu,
    gated,  ///< gate, up; `activation`: a TracedOp
    softmax,
    add,
    subtract,
    multiply,
    divide,
    power,
    square_root,
    reciprocal_root,
    reciprocal,
    error_function,
    negate,
    mean,   ///< over `axes`
    where,  ///< condition, if true, if false
    attention,  ///< query, key, value as (..., head, position, feature); `causal`, `transposed`: the key has its last two swapped
    rotary,    ///< x
    max_pool,  ///< `kernel`, `stride`, `pad`, `ceil`
    average_pool,
    global_pool,
    embedding,  ///< table, ids
    lstm,       ///< x, weights...; `hidden`, `directions`, `sequence_first`, `layers`, `bias`
    gru,
    rnn,
};

/// Inputs that an operator does not go without, the first ones; a concatenation goes without none.
std::size_t needed_inputs(TracedOp op);

struct TracedTensor {
    std::string name;
    Shape shape;
    bool is_index = false;     ///< whole numbers
    bool is_constant = false;  ///< the same for every sample: a weight, or computed from such
    bool is_weight = false;    ///< learnt; of constants, those that are computed from one
    std::int64_t weights = 0;  ///< learnt numbers that a constant is computed from
    bool is_triangle = false;  ///< a constant that hides later positions, where that is known
    std::string_view bytes;    ///< of a weight that the file holds; they outlive it
};

struct TracedNode {
    TracedOp op = TracedOp::unknown;
    std::string name;  ///< as the file calls it
    std::string type;  ///< likewise, of the operator
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    std::map<std::string, std::vector<std::int64_t>> numbers = {};
    bool is_fused = false;  ///< it does the work of several nodes of the file

    [[nodiscard]] std::int64_t number(const std::string& key, std::int64_t usual) const {
        const auto found = numbers.find(key);
        return found == numbers.end() || found->second.empty() ? usual : found->second.front();
    }
};

/// An extent that the file leaves open and the user gives.
struct TracedSymbol {
    std::string name;
    std::int64_t extent = 1;
};

struct TracedInput {
    TensorId tensor = 0;
    std::size_t batch = 0;             ///< the axis of samples
    std::vector<std::string> symbols;  ///< of each axis; empty where the extent is the file's
};

struct TracedGraph {
    Location where;          ///< the file
    std::string name;        ///< of the file
    std::int64_t batch = 1;  ///< samples that the shapes are of
    std::vector<TracedSymbol> symbols;
    std::vector<TracedTensor> tensors;
    std::vector<TracedNode> nodes;  ///< in topological order
    std::vector<TracedInput> inputs;
    std::vector<TensorId> outputs;

    [[nodiscard]] const Shape& shape(TensorId id) const { return tensors[id].shape; }
    [[nodiscard]] bool is_constant(TensorId id) const { return id != kNoTensor && tensors[id].is_constant; }
};

/// A shape in messages: 1 x 3 x 224 x 224.
std::string in_words(const Shape& shape);

/// The elements of a shape; INT64_MAX for more.
std::int64_t elements_of(const Shape& shape);

/// Refuses a node: "node "Conv_3" (Conv): what".
[[noreturn]] void refuse(const TracedGraph& graph, const TracedNode& node, const std::string& what,
                         const std::string& help = {});

}  // namespace dodona::files
