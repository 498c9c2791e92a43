// The cheapest choices for variables that meet in tensors: dynamic programming over a frontier, exact.
//
// Every variable (a layer) takes one of its choices. A choice has costs of its own and says uses about the tensors
// that it touches (the layout in which it leaves or wants them); what the uses about one tensor cost together is known
// once the last variable that speaks of it has chosen. Variables choose in order; all that later ones need to know of
// earlier ones is what was said of the tensors that are still open, the frontier. For each such state the ways to get
// there that no other dominates are kept: chains, residual joins and long skips (U-Nets) need no code of their own.
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

/// Costs that add up. The time of a step is the larger of two sums: what it takes if all that may hide behind compute
/// does, and if it sticks out on the far side.
struct Costs {
    Seconds hidden;
    Seconds shown;
    Bytes memory;

    [[nodiscard]] Seconds time() const { return max(hidden, shown); }
    Costs& operator+=(const Costs& other);
    friend Costs operator+(Costs a, const Costs& b) { return a += b; }
    bool operator==(const Costs&) const = default;
};

/// What never may be.
inline constexpr Costs kForbidden{Seconds::of_base(std::numeric_limits<double>::infinity()),
                                  Seconds::of_base(std::numeric_limits<double>::infinity()), Bytes{}};

/// Something said of a tensor; uses of one tensor are compared by number only.
struct TensorUse {
    int tensor = 0;
    int use = 0;
    bool operator==(const TensorUse&) const = default;
};

struct Choice {
    Costs costs;
    std::vector<TensorUse> uses;
    Bytes peak = {};  ///< memory that it needs for a moment: does not add up
};

struct Choices {
    std::vector<std::vector<Choice>> variables;  ///< in the order in which they choose
    int tensors = 0;
    /// Costs of a tensor of which all these uses were said: each once, ascending. Never negative.
    std::function<Costs(int tensor, const std::vector<int>& uses)> closing;
};

struct FrontierLimits {
    Bytes memory = Bytes::of_base(std::numeric_limits<double>::infinity());
    Bytes peak = Bytes::of_base(std::numeric_limits<double>::infinity());  ///< of every choice
    /// Slower ones are not looked for.
    Seconds time = Seconds::of_base(std::numeric_limits<double>::infinity());
    bool weighs_memory = true;  ///< false: of two the faster one wins, whatever it keeps
    std::size_t states = 20'000;
    std::size_t ways = 32;  ///< to one state
};

struct Assigned {
    Costs costs;
    std::vector<int> choices;  ///< by variable
};

struct Frontier {
    std::vector<Assigned> assigned;  ///< that no other dominates, fastest first
    bool complete = true;            ///< nothing was cut to keep within limits of states and ways
    std::int64_t states = 0;         ///< looked at
};

/// Domain: every variable has a choice.
Frontier assign_choices(const Choices& choices, const FrontierLimits& limits);

}  // namespace dodona::search
