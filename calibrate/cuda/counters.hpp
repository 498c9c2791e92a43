// Pass `counters`: bytes and pipe use of one execution, by CUPTI's Range Profiler.
#pragma once

#include "calibrate/cuda/memory.hpp"
#include "calibrate/cuda/work.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate::cuda {

/// Adds the values of kCounters to `measured`, each of one execution. Throws CannotMeasure where this user may not
/// count, or this back end was built without the Range Profiler (CUDA 12.6).
void count_events(const Work& work, const Stream& stream, Measurement& measured);

}  // namespace dodona::calibrate::cuda
