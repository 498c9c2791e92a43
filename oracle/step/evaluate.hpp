// Evaluates a plan on a costed graph: schedule, exposed communication, memory, limits, bottlenecks.
#pragma once

#include "step/prediction.hpp"
#include "step/schedule_timings.hpp"
#include "step/segment_cost.hpp"

namespace dodona::step {

/// How much of a prediction is computed, each with what the one before has: totals, which the search ranks by; the
/// interval, hidden time and the stages; explanations, which only plans that are listed need.
enum class Detail { totals, interval, full };

/// `costed` must have been made from a plan with the same mesh, strategy, micro-batch, precision and algorithm.
/// `max_memory`: upper limit of the memory of a device, if less than what it offers.
Prediction evaluate(const CostedGraph& costed, const plan::Plan& plan, Detail detail = Detail::full,
                    std::optional<Bytes> max_memory = std::nullopt);

/// The same with orders that plans share.
Prediction evaluate(const CostedGraph& costed, const plan::Plan& plan, Detail detail, std::optional<Bytes> max_memory,
                    ScheduleTimings& orders);

}  // namespace dodona::step
