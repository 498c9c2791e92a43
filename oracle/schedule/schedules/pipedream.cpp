// PipeDream: 1F1B that never flushes; stages keep the weights that their micro-batches in flight started with.
//
// The order is that of 1F1B; a step of m micro-batches follows the one before without a pause, so that in the steady
// state a micro-batch takes max over stages of F + B (see steady_time in play.hpp) and there is no bubble. Stage s keeps
// p - s micro-batches in flight, those of the next step too, and the versions of its weights that they started with. Source: Harlap et al., arXiv:1806.03377, sections 3.2 and 3.3.
#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

Order pipedream(const Shape& shape) { return one_forward_one_backward(shape); }

std::vector<std::int64_t> held_without_flush(const Shape& shape, std::int32_t stage) { return {shape.stages - stage}; }

}  // namespace dodona::schedule
