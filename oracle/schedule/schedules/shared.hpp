// What several schedules share.
//
// Letters: p stages, m micro-batches, v virtual stages, s a stage from 0.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "schedule/order.hpp"

namespace dodona::schedule {

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
