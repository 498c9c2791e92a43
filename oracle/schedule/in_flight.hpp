// Micro-batches in flight: how many activations a stage holds. Follows from the order alone, whatever tasks take.
//
// A forward pass starts to hold the activations of its micro-batch at its position. B or I ends that; where the backward
// pass is split, what W needs (inputs of layers and gradients of their outputs) is held until the end of W.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/order.hpp"

namespace dodona::schedule {

/// Of one stage, by position; 0 for positions that are elsewhere. "Until backward": from forward to the end of B or I;
/// "until weights": from forward to the end of B or W.
struct InFlight {
    std::vector<std::int64_t> until_backward;  ///< each position's own largest number
    std::vector<std::int64_t> until_weights;
    std::vector<std::int64_t> at_peak;  ///< until backward, when the stage's sum over positions is first at its largest
    std::vector<std::int64_t> at_weights_peak;  ///< the same until weights

    [[nodiscard]] std::int64_t peak() const;          ///< sum over at_peak
    [[nodiscard]] std::int64_t peak_weights() const;  ///< sum over at_weights_peak
};

InFlight in_flight(const Order& order, std::int32_t stage);

/// What a stage holds at a moment, by its positions: micro-batches between their forward pass and the end of B or I,
/// and between I and the end of W.
struct Holding {
    std::vector<std::int64_t> whole;
    std::vector<std::int64_t> for_weights;
    bool operator==(const Holding&) const = default;
};

/// Adds a holding to others, of which none holds as much as another of everything.
void add_holding(const Holding& holding, std::vector<Holding>& most);

/// The holdings of a stage of which none holds as much as another of everything: whatever activations weigh, one of them
/// is the heaviest. `places`: of the order.
std::vector<Holding> most_held(const Order& order, const Places& places, std::int32_t stage);

/// The largest sum of what is held, where activations of position k weigh `activations[k]` until B or I ends and
/// another `for_weights[k]` until B or W ends. Units of the weights.
template <class Number>
Number peak_held(const Order& order, std::int32_t stage, const std::vector<Number>& activations,
                 const std::vector<Number>& for_weights) {
    Number held{};
    Number peak{};
    for (const Task& task : order.stages[static_cast<std::size_t>(stage)]) {
        const auto k = static_cast<std::size_t>(task.position);
        switch (task.kind) {
            case TaskKind::forward: held = held + activations[k] + for_weights[k]; break;
            case TaskKind::backward: held = held - activations[k] - for_weights[k]; break;
            case TaskKind::backward_input: held = held - activations[k]; break;
            case TaskKind::backward_weight: held = held - for_weights[k]; break;
        }
        if (peak < held) {
            peak = held;
        }
    }
    return peak;
}

}  // namespace dodona::schedule
