// The pipeline schedules that Dodona knows: one row each, one file each in schedules/.
//
// Values of ScheduleKind are numbers of rows. Plans, their files, options and reports name schedules as the table does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enumeration.hpp"
#include "schedule/order.hpp"
#include "schedule/schedules/schedules.hpp"

namespace dodona::schedule {

/// How many virtual stages a schedule may have on each stage.
struct VirtualStages {
    std::int32_t least = 1;
    std::int32_t most = 1;
};
inline constexpr std::int32_t kAnyVirtualStages = std::numeric_limits<std::int32_t>::max();

/// When a search of plans tries a schedule.
enum class Searched : std::uint8_t {
    always,
    on_request,  ///< where schedules are to be varied
    never,       ///< another one is as fast with less memory
};

struct Traits {
    Placement placement = Placement::loop;
    VirtualStages virtual_stages = {};
    Searched searched = Searched::on_request;
    bool splits_backward = false;       ///< some gradients of weights are computed apart from those of inputs
    bool overlaps_pairs = false;        ///< forward of one micro-batch at the same time as backward of another
    bool flushes = true;                ///< all micro-batches of a step end before its update; otherwise asynchronous
    bool stashes_weights = false;       ///< a stage keeps the weights that its micro-batches in flight started with
    bool has_rounds = true;             ///< in the steady state, p micro-batches take as long as the p before
    std::int32_t parameter_copies = 1;  ///< stages that hold the same position
};

struct Schedule {
    std::string_view name;
    std::string_view summary;  ///< without capital and full stop
    std::string_view source;
    Traits traits;
    /// Why there is no order for a shape, as a sentence without capital and full stop; none if there is one.
    std::optional<std::string> (*unmet)(const Shape& shape);
    /// The order for a shape that meets the requirements.
    Order (*generate)(const Shape& shape);
    /// Micro-batches whose activations each virtual stage of a stage holds at its peak, in closed form; null: as the order
    /// shows. Domain: two stages or more.
    std::vector<std::int64_t> (*held)(const Shape& shape, std::int32_t stage) = nullptr;
};

inline constexpr std::array kSchedules{
    Schedule{.name = "gpipe",
             .summary = "all forward passes, then all backward passes",
             .source = "Huang et al., arXiv:1811.06965",
             .traits = {.searched = Searched::never, .has_rounds = false},
             .unmet = unmet_by_one_position,
             .generate = gpipe,
             .held = held_all},
    Schedule{.name = "1f1b",
             .summary = "one forward, one backward in turn",
             .source = "Narayanan et al., arXiv:2104.04473, section 2.2.1 (PipeDream-Flush)",
             .traits = {.searched = Searched::always},
             .unmet = unmet_by_one_position,
             .generate = one_forward_one_backward,
             .held = held_one_by_one},
    Schedule{.name = "interleaved-1f1b",
             .summary = "1f1b over several virtual stages on each rank",
             .source = "Narayanan et al., arXiv:2104.04473, section 2.2.2",
             .traits = {.virtual_stages = {2, kAnyVirtualStages}, .searched = Searched::always},
             .unmet = unmet_by_interleaved,
             .generate = interleaved,
             .held = held_interleaved},
    Schedule{.name = "breadth-first",
             .summary = "all micro-batches at one virtual stage before the next, forward and then backward",
             .source = "Lamy-Poirier, arXiv:2211.05953",
             .traits = {.virtual_stages = {1, kAnyVirtualStages}, .searched = Searched::never, .has_rounds = false},
             .unmet = unmet_by_all,
             .generate = breadth_first,
             .held = held_all},
    Schedule{.name = "zb-h1",
             .summary = "1f1b with gradients of weights put off: zero bubble within the memory of 1f1b's first stage",
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
    Schedule{.name = "pipedream",
             .summary = "1f1b without a flush, weights stashed for the micro-batches in flight",
             .source = "Harlap et al., arXiv:1806.03377",
             .traits = {.flushes = false, .stashes_weights = true},
             .unmet = unmet_by_one_position,
             .generate = pipedream,
             .held = held_without_flush},
    Schedule{.name = "zb-v",
             .summary = "two virtual stages in a V with gradients of weights put off, within the memory of 1f1b",
             .source = "Qi et al., arXiv:2401.10241, section 6",
             .traits = {.placement = Placement::v_shape, .virtual_stages = {2, 2}, .splits_backward = true},
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
             .traits = {.placement = Placement::v_shape,
                        .virtual_stages = {2, 2},
                        .splits_backward = true,
                        .overlaps_pairs = true},
             .unmet = unmet_by_dual_pipe_v,
             .generate = dual_pipe_v},
    Schedule{.name = "1f1b-overlapped",
             .summary =
                 "1f1b, interleaved or not, forward passes of one micro-batch together with backward passes of another",
             .source = "NVIDIA/Megatron-LM, megatron/core/pipeline_parallel/combined_1f1b.py",
             .traits = {.virtual_stages = {1, kAnyVirtualStages}, .overlaps_pairs = true},
             .unmet = unmet_by_overlapped,
             .generate = overlapped},
};

/// Rows that other code treats apart have a name here, in the order of the table; every other value is a row as well.
enum class ScheduleKind : std::uint8_t { gpipe, one_forward_one_backward, interleaved, breadth_first };

constexpr const Schedule& schedule_of(ScheduleKind kind) { return kSchedules[static_cast<std::size_t>(kind)]; }
constexpr std::string_view name(ScheduleKind kind) { return schedule_of(kind).name; }
static_assert(name(ScheduleKind::gpipe) == "gpipe");
static_assert(name(ScheduleKind::one_forward_one_backward) == "1f1b");
static_assert(name(ScheduleKind::interleaved) == "interleaved-1f1b");
static_assert(name(ScheduleKind::breadth_first) == "breadth-first");

template <std::size_t... kRow>
constexpr auto schedule_table(std::index_sequence<kRow...> /*rows*/) {
    return std::array{Enumerator(static_cast<ScheduleKind>(kRow), kSchedules[kRow].name, kSchedules[kRow].summary)...};
}
inline constexpr auto kScheduleTable = schedule_table(std::make_index_sequence<kSchedules.size()>());
constexpr const auto& enumerators(ScheduleKind /*type*/) { return kScheduleTable; }
constexpr std::optional<ScheduleKind> schedule_from(std::string_view name) { return value_of<ScheduleKind>(name); }

/// All schedules, in a fixed order.
std::span<const Schedule> schedules();

/// By name; none if there is no such schedule.
const Schedule* find_schedule(std::string_view name);

/// The order of a schedule. A shape that does not meet its requirements is an internal error: ask `unmet` first.
Order order_of(const Schedule& schedule, const Shape& shape);

/// Where the positions of a plan are. On one stage every schedule accumulates: nothing is placed.
constexpr Places places_of(const Schedule& schedule, std::int64_t stages, std::int64_t virtual_stages) {
    return {stages > 1 ? schedule.traits.placement : Placement::loop, stages, virtual_stages};
}

/// Versions of the weights that a stage keeps, with m micro-batches from one update to the next: 1; where weights are
/// stashed 1 + ceil((p - s - 1) / m), those that its p - s micro-batches in flight started with: p - s if every
/// micro-batch updates (Harlap et al., arXiv:1806.03377, section 3.3), 2 if m >= p (Narayanan et al., PipeDream-2BW,
/// arXiv:2006.09503, section 3.1). Stages count from 0.
std::int64_t weight_versions(const Schedule& schedule, std::int64_t stages, std::int64_t micro_batches,
                             std::int64_t stage);

}  // namespace dodona::schedule
