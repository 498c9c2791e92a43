// Composes a step from costed segments: schedule, exposed communication, memory, limits, bottlenecks.
#pragma once

#include "step/prediction.hpp"
#include "step/segment_cost.hpp"

namespace dodona::step {

/// How much of a prediction is wanted: the search ranks by totals and asks for the rest of the winners only. Totals are
/// without interval, without what overlap hides, and without explanations.
enum class Detail { totals, full };

/// `costed` must have been made from a plan with the same mesh, strategy, micro-batch, precision and algorithm.
/// `max_memory`: the most that a device may use, where that is less than it offers.
Prediction evaluate(const CostedGraph& costed, const plan::Plan& plan, Detail detail = Detail::full,
                    std::optional<Bytes> max_memory = std::nullopt);

}  // namespace dodona::step
