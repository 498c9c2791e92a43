// 1F1B whose forward passes run together with backward passes of other micro-batches, so that exchanges of one (all-to-alls
// of experts) hide behind the compute of the other.
//
// The order of interleaved 1F1B, v = 1 included, with one more forward pass ahead: stage s starts with (v - 1) p +
// 2 (p - 1 - s) + 1 of them, then runs a forward and a backward pass as a pair, neither of which waits for the other.
// With p - 1 - s forward passes ahead, as 1F1B has, a pair would wait for that of the next stage and the other way round.
// Where F&B is the time of a pair, a step of m >= 2p micro-batches takes p (F + B) + (m - 1) F&B with v = 1: the last stage
// runs m - 1 pairs. Micro-batches in flight (v - 1) p + 2 (p - s). Source: NVIDIA/Megatron-LM,
// megatron/core/pipeline_parallel/combined_1f1b.py and schedules.py (overlap_moe_expert_parallel_comm).
#include <algorithm>

#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

std::optional<std::string> unmet_by_overlapped(const Shape& shape) {
    return shape.virtual_stages == 1 ? unmet_by_all(shape) : unmet_by_interleaved(shape);
}

Order overlapped(const Shape& shape) {
    if (shape.stages == 1) {
        return accumulation(shape);
    }
    Order order = empty_order(Placement::loop, shape);
    const std::int32_t p = shape.stages;
    const std::int32_t v = shape.virtual_stages;
    const std::int32_t passes = shape.micro_batches * v;
    for (std::int32_t s = 0; s < p; ++s) {
        std::vector<Task>& tasks = order.stages[static_cast<std::size_t>(s)];
        const auto micro_batch = [&](std::int32_t pass) { return pass / (p * v) * p + pass % p; };
        const auto virtual_stage = [&](std::int32_t pass) { return pass % (p * v) / p; };
        const std::int32_t ahead = std::min(passes, (v - 1) * p + 2 * (p - 1 - s) + 1);
        for (std::int32_t next = 0; next < passes + ahead; ++next) {
            if (next < passes) {
                tasks.push_back(forward(micro_batch(next), virtual_stage(next) * p + s));
                tasks.back().overlaps_next = next >= ahead;
            }
            if (next >= ahead) {
                const std::int32_t back = next - ahead;
                tasks.push_back(backward(micro_batch(back), (v - 1 - virtual_stage(back)) * p + s));
            }
        }
    }
    return order;
}

}  // namespace dodona::schedule
