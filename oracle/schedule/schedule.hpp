// The pipeline schedules that Dodona knows: one row each, one file each in schedules/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "schedule/order.hpp"

namespace dodona::schedule {

struct Traits {
    Placement placement = Placement::loop;
    bool splits_backward = false;       ///< some gradients of weights are computed apart from those of inputs
    bool overlaps_pairs = false;        ///< forward of one micro-batch at the same time as backward of another
    bool flushes = true;                ///< all micro-batches of a step end before its update; otherwise asynchronous
    bool stashes_weights = false;       ///< a stage keeps the weights that its micro-batches in flight started with
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
};

/// All schedules, in a fixed order.
std::span<const Schedule> schedules();

/// By name; none if there is no such schedule.
const Schedule* find_schedule(std::string_view name);

/// The order of a schedule. A shape that does not meet its requirements is an internal error: ask `unmet` first.
Order order_of(const Schedule& schedule, const Shape& shape);

/// Versions of the weights that a stage keeps: 1, or with stashed weights one per micro-batch in flight, p - s
/// (Harlap et al. 2018, section 3.3). Stages count from 0.
std::int64_t weight_versions(const Schedule& schedule, const Shape& shape, std::int32_t stage);

}  // namespace dodona::schedule
