// The functions behind the table of schedules, and what several of them share.
//
// Letters: p stages, m micro-batches, v virtual stages, s a stage from 0.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schedule/order.hpp"

namespace dodona::schedule {

Order gpipe(const Shape& shape);
Order one_forward_one_backward(const Shape& shape);
Order interleaved(const Shape& shape);
Order breadth_first(const Shape& shape);
Order pipedream(const Shape& shape);
Order zero_bubble_h1(const Shape& shape);
Order zero_bubble_h2(const Shape& shape);
Order zero_bubble_v(const Shape& shape);
Order dual_pipe(const Shape& shape);
Order dual_pipe_v(const Shape& shape);

/// Requirements, see Schedule::unmet.
std::optional<std::string> unmet_by_all(const Shape& shape);           ///< p, m and v at least 1
std::optional<std::string> unmet_by_one_position(const Shape& shape);  ///< v = 1
std::optional<std::string> unmet_by_interleaved(const Shape& shape);
std::optional<std::string> unmet_by_zero_bubble_v(const Shape& shape);
std::optional<std::string> unmet_by_dual_pipe(const Shape& shape);
std::optional<std::string> unmet_by_dual_pipe_v(const Shape& shape);

constexpr Task forward(std::int32_t micro_batch, std::int32_t position) {
    return {TaskKind::forward, false, micro_batch, position};
}
constexpr Task backward(std::int32_t micro_batch, std::int32_t position) {
    return {TaskKind::backward, false, micro_batch, position};
}
constexpr Task backward_input(std::int32_t micro_batch, std::int32_t position) {
    return {TaskKind::backward_input, false, micro_batch, position};
}
constexpr Task backward_weight(std::int32_t micro_batch, std::int32_t position) {
    return {TaskKind::backward_weight, false, micro_batch, position};
}

/// A single stage has nothing to wait for: one micro-batch after the other passes all positions and returns
/// (accumulation of gradients).
Order accumulation(const Shape& shape);

/// How far apart one forward and one backward pass run on a stage.
struct Distance {
    std::int32_t warm_up = 0;  ///< forward passes before the first that has a backward pass behind it
    /// Backward passes that are ahead of their gradients of weights; none: the backward pass is whole.
    std::optional<std::int32_t> weights_behind = std::nullopt;
};

/// One forward, one backward in turn over one position for each stage.
Order alternate(const Shape& shape, const std::function<Distance(std::int32_t stage)>& distance);

}  // namespace dodona::schedule
