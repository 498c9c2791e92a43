// 1F1B: stage s starts with p - 1 - s forward passes, then runs one forward and one backward pass in turn.
//
// Bubble (p - 1)(F + B), micro-batches in flight min(m, p - s). Source: Narayanan et al., arXiv:2104.04473, section
// 2.2.1; Fan et al. 2021 (DAPPLE).
#include <algorithm>

#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

Order one_forward_one_backward(const Shape& shape) {
    return alternate(shape, [&](std::int32_t stage) { return Distance{.warm_up = shape.stages - 1 - stage}; });
}

std::vector<std::int64_t> held_one_by_one(const Shape& shape, std::int32_t stage) {
    return {std::min(shape.micro_batches, shape.stages - stage)};
}

}  // namespace dodona::schedule
