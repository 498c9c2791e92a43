// The functions behind the table of schedules (schedule.hpp), each in the file of its schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/order.hpp"

namespace dodona::schedule {

/// Orders, see Schedule::generate.
Order gpipe(const Shape& shape);
Order one_forward_one_backward(const Shape& shape);
Order interleaved(const Shape& shape);
Order breadth_first(const Shape& shape);
Order pipedream(const Shape& shape);
Order zero_bubble_h1(const Shape& shape);
Order zero_bubble_h2(const Shape& shape);
Order zero_bubble_v(const Shape& shape);
Order dual_pipe(const Shape& shape);
Order dual_pipe_v(const Shape& shape);
Order overlapped(const Shape& shape);

/// Requirements, see Schedule::unmet.
std::optional<std::string> unmet_by_all(const Shape& shape);           ///< p, m and v at least 1
std::optional<std::string> unmet_by_one_position(const Shape& shape);  ///< v = 1
std::optional<std::string> unmet_by_interleaved(const Shape& shape);
std::optional<std::string> unmet_by_zero_bubble_v(const Shape& shape);
std::optional<std::string> unmet_by_dual_pipe(const Shape& shape);
std::optional<std::string> unmet_by_dual_pipe_v(const Shape& shape);
std::optional<std::string> unmet_by_overlapped(const Shape& shape);

/// Micro-batches in flight, see Schedule::held.
std::vector<std::int64_t> held_all(const Shape& shape, std::int32_t stage);
std::vector<std::int64_t> held_one_by_one(const Shape& shape, std::int32_t stage);
std::vector<std::int64_t> held_interleaved(const Shape& shape, std::int32_t stage);
std::vector<std::int64_t> held_without_flush(const Shape& shape, std::int32_t stage);

}  // namespace dodona::schedule
