// What several schedules share.
#include <algorithm>

#include <fmt/format.h>

#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

std::optional<std::string> unmet_by_all(const Shape& shape) {
    if (shape.stages < 1 || shape.micro_batches < 1 || shape.virtual_stages < 1) {
        return fmt::format("a pipeline has at least one stage, micro-batch and virtual stage, not {}, {} and {}",
                           shape.stages, shape.micro_batches, shape.virtual_stages);
    }
    return std::nullopt;
}

std::optional<std::string> unmet_by_one_position(const Shape& shape) {
    if (const auto unmet = unmet_by_all(shape)) {
        return unmet;
    }
    if (shape.virtual_stages != 1) {
        return fmt::format("the schedule has one virtual stage on each stage, not {}", shape.virtual_stages);
    }
    return std::nullopt;
}

Order accumulation(const Shape& shape) {
    Order order = empty_order(Placement::loop, shape);
    for (std::int32_t i = 0; i < shape.micro_batches; ++i) {
        for (std::int32_t k = 0; k < shape.virtual_stages; ++k) {
            order.stages[0].push_back(forward(i, k));
        }
        for (std::int32_t k = shape.virtual_stages - 1; k >= 0; --k) {
            order.stages[0].push_back(backward(i, k));
        }
    }
    return order;
}

Order alternate(const Shape& shape, const std::function<Distance(std::int32_t stage)>& distance) {
    Order order = empty_order(Placement::loop, shape);
    const std::int32_t m = shape.micro_batches;
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        std::vector<Task>& tasks = order.stages[static_cast<std::size_t>(s)];
        const Distance far = distance(s);
        std::int32_t next = 0;
        while (next < std::min(m, far.warm_up)) {
            tasks.push_back(forward(next++, s));
        }
        for (std::int32_t i = 0; i < m; ++i) {
            if (next < m) {
                tasks.push_back(forward(next++, s));
            }
            tasks.push_back(far.weights_behind ? backward_input(i, s) : backward(i, s));
            if (far.weights_behind && i >= *far.weights_behind) {
                tasks.push_back(backward_weight(i - *far.weights_behind, s));
            }
        }
        if (far.weights_behind) {
            for (std::int32_t i = std::max(0, m - *far.weights_behind); i < m; ++i) {
                tasks.push_back(backward_weight(i, s));
            }
        }
    }
    return order;
}

}  // namespace dodona::schedule
