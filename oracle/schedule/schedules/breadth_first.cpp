// Breadth-first: every stage runs all micro-batches at one virtual stage before the next, forward and then backward.
//
// Bubble (p - 1)(F + B) for F and B of one position, as interleaved 1F1B, if m >= p; all m micro-batches are in flight at
// every position. Gradients of a virtual stage can be reduced, and its sharded weights dropped, after one run of m
// passes. Source: Lamy-Poirier, arXiv:2211.05953.
#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

Order breadth_first(const Shape& shape) {
    Order order = empty_order(Placement::loop, shape);
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        std::vector<Task>& tasks = order.stages[static_cast<std::size_t>(s)];
        for (std::int32_t c = 0; c < shape.virtual_stages; ++c) {
            for (std::int32_t i = 0; i < shape.micro_batches; ++i) {
                tasks.push_back(forward(i, c * shape.stages + s));
            }
        }
        for (std::int32_t c = shape.virtual_stages - 1; c >= 0; --c) {
            for (std::int32_t i = 0; i < shape.micro_batches; ++i) {
                tasks.push_back(backward(i, c * shape.stages + s));
            }
        }
    }
    return order;
}

}  // namespace dodona::schedule
