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
    Schedule{.name = "breadth-first",
             .summary = "all micro-batches at one virtual stage before the next, forward and then backward",
             .source = "Lamy-Poirier, arXiv:2211.05953",
             .traits = {},
             .unmet = unmet_by_all,
             .generate = breadth_first},
    Schedule{.name = "pipedream",
             .summary = "1f1b without a flush, weights stashed for the micro-batches in flight",
             .source = "Harlap et al., arXiv:1806.03377",
             .traits = {.flushes = false, .stashes_weights = true},
             .unmet = unmet_by_one_position,
             .generate = pipedream},
    Schedule{.name = "zb-h1",
             .summary = "1f1b with gradients of weights put off, within the memory of 1f1b",
             .source = "Qi et al., arXiv:2401.10241, section 2.1",
             .traits = {.splits_backward = true},
             .unmet = unmet_by_one_position,
             .generate = zero_bubble_h1},
    Schedule{.name = "zb-h2",
             .summary = "1f1b with gradients of weights put off and twice the forward passes ahead",
             .source = "Qi et al., arXiv:2401.10241, section 2.2",
             .traits = {.splits_backward = true},
             .unmet = unmet_by_one_position,
             .generate = zero_bubble_h2},
    Schedule{.name = "zb-v",
             .summary = "two virtual stages in a V with gradients of weights put off, within the memory of 1f1b",
             .source = "Qi et al., arXiv:2401.10241, section 6",
             .traits = {.placement = Placement::v_shape, .splits_backward = true},
             .unmet = unmet_by_zero_bubble_v,
             .generate = zero_bubble_v},
    Schedule{.name = "dualpipe",
             .summary = "micro-batches from both ends, forward passes of one together with backward passes of another",
             .source = "DeepSeek-AI, arXiv:2412.19437, section 3.2.1",
             .traits = {.placement = Placement::bidirectional,
                        .splits_backward = true,
                        .overlaps_pairs = true,
                        .parameter_copies = 2},
             .unmet = unmet_by_dual_pipe,
             .generate = dual_pipe},
    Schedule{.name = "dualpipe-v",
             .summary = "half of dualpipe, two virtual stages in a V",
             .source = "deepseek-ai/DualPipe, DualPipeV",
             .traits = {.placement = Placement::v_shape, .splits_backward = true, .overlaps_pairs = true},
             .unmet = unmet_by_dual_pipe_v,
             .generate = dual_pipe_v},
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
