// The weights of one worker or server, and what an exchange does to them.
//
//   none       w -= rate * sum / m                                gradients
//   average    w = sum / m, or anchor + sum / m                   weights, or increments since the anchor
//   nesterov   d = sum / m, v = mu v + d, w = anchor + outer (d + mu v), mu 0.9, outer 0.7
//
// m: those whose payloads were summed. The anchor is the weights after the last exchange.
// Source: Douillard et al., arXiv:2311.08105 (DiLoCo), section 3.2, for the outer rate and momentum.
#pragma once

#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "lab/replicas/messenger.hpp"

namespace dodona::calibrate {

struct Replica {
    std::vector<float> weights;
    std::vector<float> gradient;  ///< of the step, or summed since the last exchange
    std::vector<float> payload;   ///< what this worker brings to an exchange
    std::vector<float> result;    ///< the weights after it, where they travel beside compute
    std::vector<float> anchor;
    std::vector<float> velocity;
    float rate = 0.1F;
    exchange::Outer outer = exchange::Outer::none;
    exchange::Sent sends = exchange::Sent::gradients;
    bool beside = false;  ///< `result` takes the place of `weights` when the step has ended

    /// Where an exchange writes weights.
    [[nodiscard]] std::vector<float>& target() { return beside ? result : weights; }
    [[nodiscard]] std::span<float> payload_of(Part range) { return {payload.data() + range.first, range.count}; }
    [[nodiscard]] std::span<float> target_of(Part range) { return {target().data() + range.first, range.count}; }

    /// From the gradient or the weights.
    void fill_payload();
    /// The step of this worker alone.
    void apply_gradient();
    /// Writes the weights of the range; `sum`: of the payloads of `count` workers.
    void apply(Part range, std::span<const float> sum, std::size_t count);
};

}  // namespace dodona::calibrate
