// Strategies are data: ordered rules that lay dimensions of operators on axes of the device mesh.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expression.hpp"

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

struct Rule {
    Match match;
    /// Holds while true, in topological order; once false for a layer the rule is over for all later ones.
    /// Names: extent (whole), ways, window (the operator's span along the dimension laid first).
    std::optional<Expression> condition;
    std::vector<Lay> lay;
    /// Layout that the output is converted to at once: laid dimensions; present but empty = replicated over the rule's
    /// axes. Absent: the output stays as the product leaves it until a consumer wants another layout.
    std::optional<std::vector<Lay>> output;
    Via via = Via::reduce_scatter;
    /// Inputs gathered for this layer are not kept for backward but gathered again (sequence parallelism).
    bool regather = false;
    bool optional = false;  ///< made for some networks only: that it matches nothing is not worth a word
    Location where;
};

enum class ShardLevel { none, states, gradients, parameters };

struct Strategy {
    std::string name;
    std::string source;
    std::string summary;                  ///< one line
    std::vector<std::string> axes;        ///< mesh axes it uses, innermost first by default
    std::vector<Lay> everywhere;          ///< added to every rule and to layers without one
    std::vector<Rule> rules;              ///< the first match wins
    std::optional<std::string> pipeline;  ///< axis over which layers are cut into stages
    /// Axis over which a whole tensor at a stage boundary is split for sending and gathered on arrival.
    std::optional<std::string> split_boundaries;
    std::vector<std::string> shard_axes;  ///< axes over which optimizer states may be sharded
    std::optional<ShardLevel> shard;      ///< default sharding of the strategy (ZeRO files)
    Location where;
};

}  // namespace dodona::plan
