// Operators as loop nests over named dimensions.
//
// An operator declares its loops, which operand dimensions they index, what it saves for backward and which kernels it
// runs on local extents. Shards, partial sums, collectives and limits under a strategy are derived from this
// declaration (plan/).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/short_vector.hpp"
#include "graph/kernel.hpp"

namespace dodona::graph {

using Extent = std::int64_t;

/// The type of a tensor's elements.
enum class Element {
    activation,  ///< activations in the precision of the plan
    index,       ///< 8-byte integer (tokens, pooling positions)
    mask,        ///< 1 byte (dropout)
    single,      ///< 4-byte floating point, whatever the precision (the logits of a loss)
};

/// Which experts tokens go to: each to `chosen` different ones of all, as likely to one as to another. With groups of
/// consecutive experts, to those of `chosen_groups` groups only (DeepSeek-AI, arXiv:2412.19437, section 2.1.2).
struct Routing {
    Extent experts = 0;  ///< 0: no routing
    Extent chosen = 0;
    Extent groups = 1;
    Extent chosen_groups = 1;
    bool operator==(const Routing&) const = default;
};

struct TensorDimension {
    std::string name;  ///< batch, channel, height, sequence, feature, ...
    Extent extent = 0;
    double density = 1;                ///< share of the extent that holds data: the experts per token over all experts
    double imbalance = 1;              ///< largest over mean shard if the dimension is split
    std::vector<double> fullest = {};  ///< the same by number of shards; the last one holds for more; empty: not known
    /// Ragged: its extent at each index of the dimension `table`. `extent` is the largest, `density` their mean over it.
    std::vector<Extent> each = {};
    Routing routing = {};  ///< of tokens that are copied to experts
    bool operator==(const TensorDimension&) const = default;
};

/// A dimension of these extents, one for each table.
TensorDimension ragged(std::string name, std::vector<Extent> each);

/// The tensor of an edge. The batch dimension comes first with extent 1; extents are per sample.
struct Tensor {
    std::vector<TensorDimension> dimensions;
    Element element = Element::activation;

    [[nodiscard]] std::optional<std::size_t> find(std::string_view dimension) const;
    /// Elements per sample.
    [[nodiscard]] double elements() const;
    /// "(channel 3, height 224, width 224)", for messages.
    [[nodiscard]] std::string shape() const;
    bool operator==(const Tensor&) const = default;
};

/// A window that slides along a dimension: output o reads inputs stride*o - pad ... stride*o - pad + span - 1.
struct Window {
    Extent kernel = 1;
    Extent stride = 1;
    Extent pad = 0;
    Extent dilation = 1;
    [[nodiscard]] Extent span() const { return dilation * (kernel - 1) + 1; }
};

/// A loop of the nest. For a windowed dimension the extent counts output positions.
struct Loop {
    std::string name;  ///< batch, channel, filter, in_feature, out_feature, head, height, sequence, vocabulary, ...
    Extent extent = 1;
    Extent granule = 1;     ///< shards are multiples of this (the features of a head)
    bool can_split = true;  ///< false: splitting it would change the operator (a flattened inner dimension)
    /// With more shards than granules, granules are replicated (key/value heads) and their gradient is summed.
    bool replicates = false;
    double density = 1;    ///< share of the extent that is computed (the experts of a token); weights are whole
    double imbalance = 1;  ///< largest over mean shard if the loop is split
    std::vector<double> fullest = {};  ///< as of TensorDimension
};

inline constexpr int kNoLoop = -1;
inline constexpr int kBatch = 0;  ///< the loop over samples is the first of every nest

/// For each dimension of a tensor the loop that indexes it (kNoLoop: none), and its window if any.
struct Operand {
    std::vector<int> loops;
    std::vector<std::optional<Window>> windows;  ///< empty, or one entry per dimension

    [[nodiscard]] bool has(int loop) const;
};

/// The matrices in a weight, for optimizers that update whole matrices.
enum class MatrixForm {
    none,     ///< a vector, or a table whose rows are looked up
    flat,     ///< one matrix: the first extent by all others
    stacked,  ///< the first extent counts matrices, of the second extent by all others
};

/// A trainable tensor without batch dimension.
struct Weight {
    std::string name;
    std::vector<TensorDimension> dimensions;
    Operand operand;
    std::string tied_to;  ///< the layer that owns this weight; empty: this layer
    double touched = 0;   ///< elements that one sample reads (rows of a table); 0: all
    bool whole = false;   ///< the gradient of a table has all rows, whatever was read
    MatrixForm form = MatrixForm::none;

    [[nodiscard]] double elements() const;
    /// Elements whose gradient one sample makes; 0: all.
    [[nodiscard]] double changed() const { return whole ? 0 : touched; }
};

/// A reduction that is needed when one of the loops `over` is split (softmax, norms, batch statistics). The message has
/// `forward` or `backward` fp32 numbers for each element of the local extents of `kept`.
struct Statistic {
    std::vector<int> over;
    std::vector<int> kept;
    int forward = 0;
    int backward = 0;
};

/// A loop that each step both produces and contracts (the hidden state of a recurrent layer). If it is split, the state
/// is all-gathered in every step of forward and its gradient reduce-scattered in every step of backward. The state has
/// the loops `kept` and the loop itself. Features that a loss compares over the whole batch are one such step.
struct Recurrence {
    int loop = 0;
    double steps = 1;       ///< consecutive steps
    std::vector<int> kept;  ///< other loops of the state: the batch
};

/// A tensor kept from forward for backward.
struct Saved {
    enum class What { input, output, internal };
    What what = What::input;
    int operand = 0;   ///< index of the input, for What::input
    std::string name;  ///< for What::internal
    Element element = Element::activation;
    /// Extents of an internal tensor, or of a copy of an input for each head that shares it
    /// (plan::MemoryTensors::keys): its loops ...
    std::vector<int> loops;
    double factor = 1;         ///< ... times this
    bool for_weights = false;  ///< read only by dW: not kept for frozen weights
    bool selective = false;    ///< dropped and recomputed by selective recomputation
    bool logits = false;       ///< of a loss, one element per logit; plan/memory_profile.hpp sets its width
    bool whole_batch = false;  ///< of an internal tensor: times the samples of all ranks' micro-batches
    bool gated = false;        ///< read by a gated activation; plan/memory_profile.hpp may narrow it
};

/// Assignment of the positions of a split sequence to its shards.
enum class ShardOrder {
    zigzag,      ///< shard i of p holds pieces i and 2p - 1 - i of 2p: causal work is even
    contiguous,  ///< neighbouring positions: the last shard has most causal work
};
inline constexpr std::array kShardOrderTable{
    Enumerator(ShardOrder::zigzag, "zigzag",
               "shard i of p holds pieces i and 2p - 1 - i of 2p, so causal work is even"),
    Enumerator(ShardOrder::contiguous, "contiguous", "a shard holds neighbouring positions")};
constexpr const auto& enumerators(ShardOrder /*type*/) { return kShardOrderTable; }

/// Local extents of the loops on one device, for one micro-batch.
struct LocalExtents {
    ShortVector<double, 8> loops;  ///< by loop: extent of the largest shard
    ShortVector<double, 8> ways;   ///< by loop: number of shards; empty: nothing is split
    ShardOrder order = ShardOrder::zigzag;
    [[nodiscard]] double operator[](int loop) const { return loops[static_cast<std::size_t>(loop)]; }
    /// Number of shards of a loop; 1 if it is not split.
    [[nodiscard]] double shards(int loop) const { return ways.empty() ? 1 : ways[static_cast<std::size_t>(loop)]; }
};

struct Nest {
    std::vector<Loop> loops;  ///< loop 0 is the batch
    std::vector<Operand> inputs;
    std::vector<Weight> weights;
    double buffers = 0;  ///< elements that are kept between steps but not trained, in fp32: running means and variances
    Operand output;
    Tensor result;  ///< the output tensor, unsharded
    std::vector<Statistic> statistics;
    std::vector<Recurrence> recurrences;
    std::vector<Saved> saved;
    bool follows = false;  ///< without a rule, takes the sharding of its inputs (element-wise, norms, pooling)
    bool linear = false;   ///< linear in its inputs: partial sums may pass through
    std::function<Work(const LocalExtents&)> work;
    /// Forward kernels that selective recomputation repeats; empty: none.
    std::function<std::vector<Kernel>(const LocalExtents&)> selective_work;

    [[nodiscard]] int loop(std::string_view name) const;  ///< index, or kNoLoop
    /// Extents on one device for one sample.
    [[nodiscard]] LocalExtents whole() const;
};

}  // namespace dodona::graph
