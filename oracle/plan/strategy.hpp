// Strategies: ordered rules that lay dimensions of operators on axes of the device mesh.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/enumeration.hpp"
#include "base/expression.hpp"
#include "graph/nest.hpp"

namespace dodona::plan {

/// Lays a loop dimension on mesh axes, in order (the first axis makes the coarsest split).
struct Lay {
    std::string dimension;
    std::vector<std::string> axes;
    Location where;
};

/// Selects layers: each non-empty list must contain the layer's kind, role or name.
struct Match {
    std::vector<std::string> kinds;  ///< operator names
    std::vector<std::string> roles;  ///< roles given in the model file
    std::vector<std::string> names;  ///< layer paths; `*` stands for any characters
    std::optional<bool> first;       ///< whether no layer before it is trained, so that its input needs no gradient
    bool operator==(const Match&) const = default;
};

/// Implementation of conversions from partial to sharded.
enum class Via { reduce_scatter, all_reduce_slice };
inline constexpr std::array kViaTable{
    Enumerator(Via::reduce_scatter, "reduce-scatter", "one reduce-scatter"),
    Enumerator(Via::all_reduce_slice, "all-reduce+slice", "an all-reduce, of which each rank keeps its part")};
constexpr const auto& enumerators(Via /*type*/) { return kViaTable; }

struct Rule {
    Match match;
    /// `while`: once it is false for a layer, in topological order, the rule ends for all later ones. Names: extent
    /// (whole), ways, window (the operator's span along the first dimension laid).
    std::optional<Expression> condition;
    std::vector<Lay> lay;
    /// Sharding that the output is converted to; empty list: replicated over the rule's axes. None: the output keeps
    /// the sharding of the product until a consumer reads it in another one.
    std::optional<std::vector<Lay>> output;
    Via via = Via::reduce_scatter;
    /// Inputs gathered for this layer are not kept for backward but gathered again (sequence parallelism).
    bool regather = false;
    /// Inputs gathered over these axes are not stored whole: their blocks go round a ring and overlap with the layer's
    /// compute, in forward and, with their gradients, in backward (ring attention, arXiv:2310.01889).
    std::vector<std::string> stream;
    /// Assignment of the positions of a split sequence to shards; causal attention is uneven over contiguous ones.
    graph::ShardOrder order = graph::ShardOrder::zigzag;
    bool optional = false;  ///< for some networks only: not reported if it matches no layer
    Location where;
};

/// An axis of a strategy that reuses ranks of other axes instead of adding devices.
struct FoldedAxis {
    std::string name;
    std::vector<std::string> of;            ///< innermost first
    std::optional<std::string> apart_from;  ///< an earlier fold whose ranks are left out
};

/// Sizes that an axis usually has.
enum class UsualSizes { powers_of_two, node, layers };
inline constexpr std::array kUsualSizesTable{
    Enumerator(UsualSizes::powers_of_two, "powers-of-two", "powers of two"),
    Enumerator(UsualSizes::node, "node", "powers of two and divisors of a node, within a node"),
    Enumerator(UsualSizes::layers, "layers",
               "powers of two, and sizes that divide the blocks, with embedding and head counted or not")};
constexpr const auto& enumerators(UsualSizes /*type*/) { return kUsualSizesTable; }
constexpr std::string_view name(UsualSizes sizes) { return name_of(sizes); }

/// Where a strategy is in use in practice. A search looks elsewhere only if it is asked to, or if nothing else fits.
struct Usual {
    bool ever = true;
    std::map<std::string, std::int64_t> extents;  ///< networks in which one of these dimensions is at least as long
    std::map<std::string, std::int64_t> leaves;   ///< least extent of a split dimension on each rank
    std::map<std::string, UsualSizes> sizes;      ///< of axes; those left out may have any
};

/// Conditions for a search over all strategies to include this one. Named strategies are always searched.
struct Considered {
    bool by_default = true;
    std::vector<std::string> only_with;           ///< networks with one of these operators
    std::map<std::string, std::int64_t> extents;  ///< networks with a layer whose dimension is at least as long
    std::map<std::string, std::int64_t> least;    ///< least sizes of axes: smaller ones are another strategy
    Usual usual;
};

enum class ShardLevel { none, states, gradients, parameters };
inline constexpr std::array kShardLevelTable{
    Enumerator(ShardLevel::none, "none", "every data rank holds all states"),
    Enumerator(ShardLevel::states, "states", "optimizer states are sharded (ZeRO-1)"),
    Enumerator(ShardLevel::gradients, "gradients", "states and gradients are sharded (ZeRO-2)"),
    Enumerator(ShardLevel::parameters, "parameters", "states, gradients and parameters are sharded (ZeRO-3, FSDP)")};
constexpr const auto& enumerators(ShardLevel /*type*/) { return kShardLevelTable; }
constexpr std::string_view name(ShardLevel level) { return name_of(level); }
/// Whether all data ranks synchronise in every micro-batch, not once a step: ZeRO-2 and ZeRO-3.
constexpr bool exchanges_every_pass(ShardLevel level) { return level >= ShardLevel::gradients; }
constexpr std::optional<ShardLevel> shard_from(std::string_view name) { return value_of<ShardLevel>(name); }

struct Strategy {
    std::string name;
    std::string source;
    std::string summary;            ///< one line
    std::vector<std::string> axes;  ///< mesh axes, innermost first by default
    std::vector<FoldedAxis> folds;
    std::vector<Lay> everywhere;          ///< added to every rule, and to layers without a rule
    std::vector<Rule> rules;              ///< the first match wins
    std::optional<std::string> pipeline;  ///< axis over which layers are cut into stages
    /// Axis over which unsharded tensors at stage boundaries are split for sending and all-gathered on arrival.
    std::optional<std::string> split_boundaries;
    std::vector<std::string> shard_axes;  ///< axes over which optimizer states may be sharded
    std::optional<ShardLevel> shard;      ///< ZeRO level that the strategy prescribes
    /// Those that a search may choose where the strategy prescribes none; empty: none and states with a pipeline, else all.
    std::vector<ShardLevel> shard_levels;
    bool by_layers = false;  ///< made by a search for one network, with rules for its layers
    Considered considered;
    Location where;
};

}  // namespace dodona::plan
