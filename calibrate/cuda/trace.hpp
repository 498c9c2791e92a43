// Pass `names`: which kernels one execution starts, by CUPTI's Activity records. Needs no privilege.
#pragma once

#include "calibrate/cuda/memory.hpp"
#include "calibrate/cuda/work.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate::cuda {

/// Adds to `measured`: values "kernels", "duration" (s, all of them), "longest" (s); words "kernel", "grid", "block" of
/// the longest and "kernels" (each name once, in order). Throws CannotMeasure where tracing does not start.
void trace_kernels(const Work& work, const Stream& stream, Measurement& measured);

}  // namespace dodona::calibrate::cuda
