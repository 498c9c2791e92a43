// Operators as loop nests over named dimensions.
//
// An operator declares its dimensions, which of them index which operand, what it saves for backward and which kernels
// it runs on local extents. Everything that a strategy does to it (shards, partial sums, collectives, limits) is
// derived from this declaration; see plan/.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "graph/kernel.hpp"

namespace dodona::graph {

using Extent = std::int64_t;

/// What the elements of a tensor are; the precision of a run fixes their size.
enum class Element {
    activation,  ///< the precision's activation size
    index,       ///< 8-byte integer (tokens, pooling positions)
    mask,        ///< 1 byte (dropout)
    single,      ///< 4-byte floating point, whatever the precision (the logits of a loss)
};

struct TensorDimension {
    std::string name;  ///< batch, channel, height, sequence, feature, ...
    Extent extent = 0;
    double density = 1;    ///< share of the extent that holds data: of all experts, those that a token meets
    double imbalance = 1;  ///< the fullest shard over the mean shard, once the dimension is split
    bool operator==(const TensorDimension&) const = default;
};

/// A tensor as it flows along an edge. The batch dimension comes first and has extent 1: extents are per sample.
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
    Extent granule = 1;     ///< shards are whole multiples of this (a head's features)
    bool can_split = true;  ///< false: splitting it would change the operator (a flattened inner dimension)
    bool replicates =
        false;           ///< more ways than granules: granules are replicated (key/value heads), their gradient summed
    double density = 1;  ///< share of the extent that is worked on (a token's experts); weights are whole
    double imbalance = 1;  ///< the fullest shard over the mean shard, once the loop is split
};

inline constexpr int kNoLoop = -1;
inline constexpr int kBatch = 0;  ///< the loop over samples is the first of every nest

/// Which loop indexes each dimension of a tensor (kNoLoop: none), and through which window.
struct Operand {
    std::vector<int> loops;
    std::vector<std::optional<Window>> windows;  ///< empty, or one entry a dimension

    [[nodiscard]] bool has(int loop) const;
};

/// A trainable tensor. Weights do not carry a batch dimension.
struct Weight {
    std::string name;
    std::vector<TensorDimension> dimensions;
    Operand operand;
    std::string tied_to;  ///< layer whose weight of the same size this is; empty: its own
    double touched = 0;   ///< elements that one sample reads and changes (rows of a table); 0: all of them

    [[nodiscard]] double elements() const;
};

/// A reduction beside the main product, needed when one of `over` is split (a softmax, a norm, batch statistics).
/// The message holds the product of the local extents of `kept`, `forward`/`backward` times, in fp32.
struct Statistic {
    std::vector<int> over;
    std::vector<int> kept;
    int forward = 0;
    int backward = 0;
};

/// A loop that one step both produces and contracts (the hidden state of a recurrent layer): split, the state is
/// gathered in every step forward, its gradient scattered in every step backward. The state holds `kept` and the loop
/// itself.
struct Recurrence {
    int loop = 0;
    double steps = 1;       ///< one after the other
    std::vector<int> kept;  ///< further loops of the state of one step: the batch
};

/// Something kept from forward for backward.
struct Saved {
    enum class What { input, output, internal };
    What what = What::input;
    int operand = 0;   ///< which input, for What::input
    std::string name;  ///< for What::internal
    Element element = Element::activation;
    std::vector<int> loops;    ///< extents of an internal tensor: its loops ...
    double factor = 1;         ///< ... times this
    bool for_weights = false;  ///< read by dW alone: not kept where the weights are frozen
    bool selective = false;    ///< dropped (and recomputed) under selective recomputation
    bool logits = false;       ///< of a loss, one element a logit: software decides how wide (plan/memory_profile.hpp)
};

/// In which order the positions of a split sequence go to its shards.
enum class ShardOrder {
    zigzag,      ///< shard i of p takes the i-th and the i-th last of 2p pieces: causal work is even
    contiguous,  ///< neighbouring positions stay together: the last shard has most causal work
};
inline constexpr std::array kShardOrderTable{
    Enumerator(ShardOrder::zigzag, "zigzag",
               "shard i of p holds pieces i and 2p - 1 - i of 2p, so causal work is even"),
    Enumerator(ShardOrder::contiguous, "contiguous", "a shard holds neighbouring positions")};
constexpr const auto& enumerators(ShardOrder /*type*/) { return kShardOrderTable; }

/// Local extents of the loops on one device, for one micro-batch.
struct LocalExtents {
    std::vector<double> loops;  ///< loop -> extent of the largest shard
    std::vector<double> ways;   ///< loop -> shards; empty: nothing is split
    ShardOrder order = ShardOrder::zigzag;
    [[nodiscard]] double operator[](int loop) const { return loops[static_cast<std::size_t>(loop)]; }
    /// Shards of a loop; 1 where it is whole.
    [[nodiscard]] double shards(int loop) const { return ways.empty() ? 1 : ways[static_cast<std::size_t>(loop)]; }
};

struct Nest {
    std::vector<Loop> loops;  ///< loop 0 is the batch
    std::vector<Operand> inputs;
    std::vector<Weight> weights;
    Operand output;
    Tensor result;  ///< the output tensor, whole
    std::vector<Statistic> statistics;
    std::vector<Recurrence> recurrences;
    std::vector<Saved> saved;
    bool follows = false;  ///< without a rule, takes over the layout of its inputs (element-wise, norms, pooling)
    bool linear = false;   ///< linear in its inputs: a partial sum may pass through it
    std::function<Work(const LocalExtents&)> work;
    /// Forward kernels that selective recomputation repeats in backward; empty: none.
    std::function<std::vector<Kernel>(const LocalExtents&)> selective_work;

    [[nodiscard]] int loop(std::string_view name) const;  ///< index, or kNoLoop
    /// The extents before anything is laid on a mesh: one device, one sample.
    [[nodiscard]] LocalExtents whole() const;
};

}  // namespace dodona::graph
