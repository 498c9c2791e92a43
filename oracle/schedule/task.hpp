// Tasks of a pipeline: what a stage runs at a time.
//
// The network is cut into positions 0, 1, ... in forward order; a stage holds one or several of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/enumeration.hpp"

namespace dodona::schedule {

enum class TaskKind : std::uint8_t { forward, backward, backward_input, backward_weight };
inline constexpr std::array kTaskKindTable{
    Enumerator(TaskKind::forward, "F", "forward pass"),
    Enumerator(TaskKind::backward, "B", "backward pass, gradients of inputs and weights together"),
    Enumerator(TaskKind::backward_input, "I", "the part of the backward pass that computes the gradients of inputs"),
    Enumerator(TaskKind::backward_weight, "W", "the part of the backward pass that computes the gradients of weights")};
constexpr const auto& enumerators(TaskKind /*type*/) { return kTaskKindTable; }
constexpr std::string_view name(TaskKind kind) { return name_of(kind); }
inline constexpr std::size_t kTaskKinds = kTaskKindTable.size();

/// One task of one micro-batch at one position.
struct Task {
    TaskKind kind = TaskKind::forward;
    bool overlaps_next = false;  ///< a forward pass that runs together with the next task of its stage, a backward pass
    std::int32_t micro_batch = 0;
    std::int32_t position = 0;
    auto operator<=>(const Task&) const = default;
};

/// As in schedule files, position first: "2F0" is the forward pass of micro-batch 0 at position 2.
std::string to_text(const Task& task);

/// Sends the gradients of its inputs to the position before.
constexpr bool is_input_backward(TaskKind kind) {
    return kind == TaskKind::backward || kind == TaskKind::backward_input;
}

}  // namespace dodona::schedule
