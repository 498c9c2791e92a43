// Stands in for counting where CUPTI has no Range Profiler (before CUDA 12.6).
#include "calibrate/cuda/counters.hpp"

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

void count_events(const Work&, const Stream&, Measurement&) {
    throw CannotMeasure(
        "the GPU's counters are not read: this back end was built with a CUDA toolkit before 12.6; times are measured "
        "all the same");
}

}  // namespace dodona::calibrate::cuda
