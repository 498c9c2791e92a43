// PipeDream: 1F1B that never flushes; stages keep the weights that their micro-batches in flight started with.
//
// The order is that of 1F1B; a step of m micro-batches follows the one before without a pause, so that in the steady
// state a micro-batch takes max over stages of F + B (see steady_time in play.hpp) and there is no bubble. Stage s keeps
// p - s versions of its weights. Source: Harlap et al., arXiv:1806.03377, sections 3.2 and 3.3.
#include "schedule/schedules/schedules.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {

Order pipedream(const Shape& shape) { return one_forward_one_backward(shape); }

}  // namespace dodona::schedule
