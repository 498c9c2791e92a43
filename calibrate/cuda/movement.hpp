// Benchmarks that move bytes: stream, gather, update, reorder, copy, launch.
#pragma once

#include "calibrate/cuda/bench.hpp"

namespace dodona::calibrate::cuda {

Work prepare_stream(const Case& asked, Bench& bench);
Work prepare_gather(const Case& asked, Bench& bench);
Work prepare_update(const Case& asked, Bench& bench);
Work prepare_reorder(const Case& asked, Bench& bench);
Work prepare_copy(const Case& asked, Bench& bench);
Work prepare_launch(const Case& asked, Bench& bench);

}  // namespace dodona::calibrate::cuda
