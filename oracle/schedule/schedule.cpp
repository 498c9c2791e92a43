#include "schedule/schedule.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "schedule/schedules/schedules.hpp"

namespace dodona::schedule {

namespace {

constexpr std::array kSchedules{
    Schedule{.name = "gpipe",
             .summary = "all forward passes, then all backward passes",
             .source = "Huang et al., arXiv:1811.06965",
             .traits = {},
             .unmet = unmet_by_one_position,
             .generate = gpipe},
    Schedule{.name = "1f1b",
             .summary = "one forward, one backward in turn",
             .source = "Narayanan et al., arXiv:2104.04473, section 2.2.1 (PipeDream-Flush)",
             .traits = {},
             .unmet = unmet_by_one_position,
             .generate = one_forward_one_backward},
    Schedule{.name = "interleaved-1f1b",
             .summary = "1f1b over several virtual stages on each stage, micro-batches in groups of p",
             .source = "Narayanan et al., arXiv:2104.04473, section 2.2.2",
             .traits = {},
             .unmet = unmet_by_interleaved,
             .generate = interleaved},
};

}  // namespace

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
