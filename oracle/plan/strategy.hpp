// Strategies are data: ordered rules that lay dimensions of operators on axes of the device mesh.
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

/// What a rule applies to: every list that is not empty must contain the layer's word.
struct Match {
    std::vector<std::string> kinds;  ///< operator names
    std::vector<std::string> roles;  ///< roles given in the model file
    std::vector<std::string> names;  ///< layer paths; `*` matches any run of characters
    std::optional<bool> first;       ///< layers before which nothing is trained (their input needs no gradient)
};

/// How a conversion from partial to sharded is carried out.
enum class Via { reduce_scatter, all_reduce_slice };
inline constexpr std::array kViaTable{
    Enumerator(Via::reduce_scatter, "reduce-scatter", "one reduce-scatter"),
    Enumerator(Via::all_reduce_slice, "all-reduce+slice", "an all-reduce, of which each rank keeps its part")};
constexpr const auto& enumerators(Via /*type*/) { return kViaTable; }

struct Rule {
    Match match;
    /// Holds while true, in topological order; once false for a layer the rule is over for all later ones.
    /// Names: extent (whole), ways, window (the operator's span along the dimension laid first).
    std::optional<Expression> condition;
    std::vector<Lay> lay;
    /// Sharding that the output is converted to at once: laid dimensions; present but empty = replicated over the rule's
    /// axes. Absent: the output stays as the product leaves it until a consumer wants another sharding.
    std::optional<std::vector<Lay>> output;
    Via via = Via::reduce_scatter;
    /// Inputs gathered for this layer are not kept for backward but gathered again (sequence parallelism).
    bool regather = false;
    /// Inputs gathered over these axes are not held whole: their blocks go round a ring beside the layer's compute,
    /// forward and again backward, where their gradients go round with them (ring attention, arXiv:2310.01889).
    std::vector<std::string> stream;
    /// Which positions of a split sequence the layer's shards hold; causal attention is uneven over contiguous ones.
    graph::ShardOrder order = graph::ShardOrder::zigzag;
    bool optional = false;  ///< made for some networks only: that it matches nothing is not worth a word
    Location where;
};

/// An axis of a strategy that uses the ranks of others instead of multiplying the number of devices.
struct FoldedAxis {
    std::string name;
    std::vector<std::string> of;            ///< innermost first
    std::optional<std::string> apart_from;  ///< a fold before it, whose ranks are left out
};

/// When a search over all strategies looks at this one; asked for by name it is always looked at.
struct Considered {
    bool by_default = true;
    std::vector<std::string> only_with;           ///< networks with one of these operators
    std::map<std::string, std::int64_t> extents;  ///< networks with a layer whose dimension is as long
    std::map<std::string, std::int64_t> least;    ///< axes that are smaller make another strategy of it
};

enum class ShardLevel { none, states, gradients, parameters };
inline constexpr std::array kShardLevelTable{
    Enumerator(ShardLevel::none, "none", "every data rank holds all states"),
    Enumerator(ShardLevel::states, "states", "optimizer states are sharded (ZeRO-1)"),
    Enumerator(ShardLevel::gradients, "gradients", "states and gradients are sharded (ZeRO-2)"),
    Enumerator(ShardLevel::parameters, "parameters", "states, gradients and parameters are sharded (ZeRO-3, FSDP)")};
constexpr const auto& enumerators(ShardLevel /*type*/) { return kShardLevelTable; }
inline constexpr std::array kShardLevels = values_of(kShardLevelTable);
constexpr std::string_view name(ShardLevel level) { return name_of(level); }
constexpr std::optional<ShardLevel> shard_from(std::string_view name) { return value_of<ShardLevel>(name); }

struct Strategy {
    std::string name;
    std::string source;
    std::string summary;            ///< one line
    std::vector<std::string> axes;  ///< mesh axes it uses, innermost first by default
    std::vector<FoldedAxis> folds;
    std::vector<Lay> everywhere;          ///< added to every rule and to layers without one
    std::vector<Rule> rules;              ///< the first match wins
    std::optional<std::string> pipeline;  ///< axis over which layers are cut into stages
    /// Axis over which a whole tensor at a stage boundary is split for sending and gathered on arrival.
    std::optional<std::string> split_boundaries;
    std::vector<std::string> shard_axes;  ///< axes over which optimizer states may be sharded
    std::optional<ShardLevel> shard;      ///< default sharding of the strategy (ZeRO files)
    Considered considered;
    Location where;
};

}  // namespace dodona::plan
