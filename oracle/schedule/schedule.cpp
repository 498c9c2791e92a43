#include "schedule/schedule.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace dodona::schedule {

std::span<const Schedule> schedules() { return kSchedules; }

const Schedule* find_schedule(std::string_view name) {
    const auto* const found =
        std::find_if(kSchedules.begin(), kSchedules.end(), [&](const Schedule& row) { return row.name == name; });
    return found == kSchedules.end() ? nullptr : found;
}

Order order_of(const Schedule& schedule, const Shape& shape) {
    check(!schedule.unmet(shape), "a shape meets the requirements of its schedule");
    return schedule.generate(shape);
}

std::int64_t weight_versions(const Schedule& schedule, const Shape& shape, std::int32_t stage) {
    return schedule.traits.stashes_weights ? std::min(shape.micro_batches, shape.stages - stage) : 1;
}

}  // namespace dodona::schedule
