#include "schedule/schedule.hpp"

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::schedule {

std::span<const Schedule> schedules() { return kSchedules; }

const Schedule* find_schedule(std::string_view name) {
    const auto* const found = find_if(kSchedules, [&](const Schedule& row) { return row.name == name; });
    return found == kSchedules.end() ? nullptr : found;
}

Order order_of(const Schedule& schedule, const Shape& shape) {
    check(!schedule.unmet(shape), "a shape meets the requirements of its schedule");
    return schedule.generate(shape);
}

std::int64_t weight_versions(const Schedule& schedule, std::int64_t stages, std::int64_t micro_batches,
                             std::int64_t stage) {
    const std::int64_t earlier = stages - stage - 1;
    return schedule.traits.stashes_weights ? 1 + (earlier + micro_batches - 1) / micro_batches : 1;
}

}  // namespace dodona::schedule
