// The cheapest assignment of choices to variables that share tensors: exact dynamic programming over a frontier.
//
// Each variable (a layer) takes one of its choices. A choice has costs of its own and uses tensors, each in a certain
// way (the sharding in which the layer produces or reads it). What all uses of a tensor cost together is known once the
// last variable that uses it has chosen; the tensor is then closed. Variables choose in order. Later ones depend on
// earlier ones only through the uses of tensors that are still open: the frontier. For each state of the frontier the
// partial assignments that no other dominates are kept. Chains, residual joins and long skips (U-Nets) need no special
// cases.
//
//   T = max(sum of `hidden`, sum of `shown`), M = sum of `memory` <= limit
//
// Source of the method: Jia et al., FlexFlow, arXiv:1807.05358, section 6, and Wang et al., arXiv:1807.08887, for
// per-layer choices by dynamic programming; the frontier over open tensors is bucket elimination (Dechter, 1999).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/quantity.hpp"

namespace dodona::search {

/// Costs that add up. The time of a step is the larger of two sums: compute with all hideable communication hidden, and
/// that communication with what it cannot hide behind.
struct Costs {
    Seconds hidden;
    Seconds shown;
    Bytes memory;

    [[nodiscard]] Seconds time() const { return max(hidden, shown); }
    Costs& operator+=(const Costs& other);
    friend Costs operator+(Costs a, const Costs& b) { return a += b; }
    bool operator==(const Costs&) const = default;
};

/// The cost of combinations that are not allowed.
inline constexpr Costs kForbidden{Seconds::of_base(std::numeric_limits<double>::infinity()),
                                  Seconds::of_base(std::numeric_limits<double>::infinity()), Bytes{}};

/// How a choice uses a tensor. Uses of one tensor are told apart by number.
struct TensorUse {
    int tensor = 0;
    int use = 0;
    bool operator==(const TensorUse&) const = default;
};

struct Choice {
    Costs costs;
    std::vector<TensorUse> uses;
    Bytes peak = {};  ///< transient memory while the layer runs; the maximum counts, not the sum
};

struct Choices {
    std::vector<std::vector<Choice>> variables;  ///< in the order in which they choose
    int tensors = 0;
    /// What a tensor with these uses costs (each use once, ascending). Never negative.
    std::function<Costs(int tensor, const std::vector<int>& uses)> closing;
};

struct FrontierLimits {
    Bytes memory = Bytes::of_base(std::numeric_limits<double>::infinity());
    Bytes peak = Bytes::of_base(std::numeric_limits<double>::infinity());  ///< of every choice
    /// Slower assignments are not searched for.
    Seconds time = Seconds::of_base(std::numeric_limits<double>::infinity());
    bool weighs_memory = true;    ///< false: only time decides which partial assignments are kept
    std::size_t states = 20'000;  ///< of the frontier after each variable
    std::size_t partials = 32;    ///< partial assignments of one state
};

struct Assigned {
    Costs costs;
    std::vector<int> choices;  ///< by variable
};

struct Frontier {
    std::vector<Assigned> assigned;  ///< complete assignments that no other dominates, fastest first
    bool complete = true;            ///< false: the limits of states or partial assignments cut the search
    std::int64_t states = 0;         ///< visited
};

/// Domain: every variable has a choice.
Frontier assign_choices(const Choices& choices, const FrontierLimits& limits);

}  // namespace dodona::search
