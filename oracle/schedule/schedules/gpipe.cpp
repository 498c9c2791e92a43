// GPipe: every stage runs all forward passes, then all backward passes.
//
// Bubble (p - 1)(F + B), micro-batches in flight m. Source: Huang et al., arXiv:1811.06965, section 2.3. The paper's
// figure runs backward passes in reverse order of micro-batches, which takes the same time.
#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

Order gpipe(const Shape& shape) {
    if (shape.stages == 1) {
        return accumulation(shape);
    }
    Order order = empty_order(Placement::loop, shape);
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        std::vector<Task>& tasks = order.stages[static_cast<std::size_t>(s)];
        for (std::int32_t i = 0; i < shape.micro_batches; ++i) {
            tasks.push_back(forward(i, s));
        }
        for (std::int32_t i = 0; i < shape.micro_batches; ++i) {
            tasks.push_back(backward(i, s));
        }
    }
    return order;
}

std::vector<std::int64_t> held_all(const Shape& shape, std::int32_t /*stage*/) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(shape.virtual_stages), shape.micro_batches);
}

}  // namespace dodona::schedule
