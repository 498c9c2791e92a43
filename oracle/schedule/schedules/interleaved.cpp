// Interleaved 1F1B: v virtual stages on each stage; micro-batches pass each of them in groups of p.
//
// Stage s starts with (v - 1) p + 2 (p - 1 - s) forward passes, then one forward and one backward pass in turn. Pass n of
// a stage is of group n / (p v), virtual stage n mod (p v) / p, backward counted from the last, and the micro-batch
// n mod p of its group. Bubble (p - 1)(F + B) for F and B of one position: 1/v of 1F1B's. Passes in flight (v - 1) p +
// 2 (p - 1 - s) + 1 in groups of p, so that the first stage holds L (1 + (p - 1)/(p v)) layers' worth (Korthikanti et al.,
// arXiv:2205.05198, section 4.2.3). Source: Narayanan et al., arXiv:2104.04473, section 2.2.2; Megatron-LM's order.
#include <algorithm>

#include <fmt/format.h>

#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

std::optional<std::string> unmet_by_interleaved(const Shape& shape) {
    if (const auto unmet = unmet_by_all(shape)) {
        return unmet;
    }
    if (shape.virtual_stages < 2) {
        return "interleaving needs two or more virtual stages on each stage; with one it is 1f1b";
    }
    if (shape.micro_batches % shape.stages != 0) {
        return fmt::format(
            "interleaving runs micro-batches in groups of as many as there are stages: {} is no multiple "
            "of {}",
            shape.micro_batches, shape.stages);
    }
    return std::nullopt;
}

Order interleaved(const Shape& shape) {
    if (shape.stages == 1) {
        return accumulation(shape);
    }
    Order order = empty_order(Placement::loop, shape);
    const std::int32_t p = shape.stages;
    const std::int32_t v = shape.virtual_stages;
    const std::int32_t passes = shape.micro_batches * v;
    for (std::int32_t s = 0; s < p; ++s) {
        std::vector<Task>& tasks = order.stages[static_cast<std::size_t>(s)];
        tasks.reserve(2 * static_cast<std::size_t>(passes));
        const auto micro_batch = [&](std::int32_t pass) { return pass / (p * v) * p + pass % p; };
        const auto virtual_stage = [&](std::int32_t pass) { return pass % (p * v) / p; };
        std::int32_t next = 0;
        const auto push_forward = [&] {
            tasks.push_back(forward(micro_batch(next), virtual_stage(next) * p + s));
            ++next;
        };
        for (std::int32_t left = std::min(passes, (v - 1) * p + 2 * (p - 1 - s)); left > 0; --left) {
            push_forward();
        }
        for (std::int32_t i = 0; i < passes; ++i) {
            if (next < passes) {
                push_forward();
            }
            tasks.push_back(backward(micro_batch(i), (v - 1 - virtual_stage(i)) * p + s));
        }
    }
    return order;
}

std::vector<std::int64_t> held_interleaved(const Shape& shape, std::int32_t stage) {
    if (shape.virtual_stages == 1) {
        return held_one_by_one(shape, stage);
    }
    std::vector<std::int64_t> held(static_cast<std::size_t>(shape.virtual_stages), 0);
    const std::int64_t p = shape.stages;
    const std::int64_t v = shape.virtual_stages;
    std::int64_t left = std::min(shape.micro_batches * v, (v - 1) * p + 2 * (p - stage - 1) + 1);
    for (std::size_t c = 0; left > 0; c = (c + 1) % held.size()) {
        const std::int64_t passes = std::min({left, p, shape.micro_batches - held[c]});
        held[c] += passes;
        left -= passes;
        if (passes == 0 && c + 1 == held.size()) {
            break;
        }
    }
    return held;
}

}  // namespace dodona::schedule
