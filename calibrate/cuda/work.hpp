// One execution of a benchmark, prepared: tensors filled, algorithm chosen. What is then timed, traced or counted.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <cuda_runtime_api.h>

#include "base/quantity.hpp"

namespace dodona::calibrate::cuda {

struct Work {
    /// Puts one execution into the stream.
    std::function<void(cudaStream_t)> run;
    int executions = 1;    ///< that one call of `run` holds: times are divided by it
    int launches = 10;     ///< at most, of one call of `run`: a held queue takes about a thousand
    bool queued = true;    ///< `run` returns before the GPU is done; false for copies of pageable memory
    bool lasting = false;  ///< worth running until power and temperature have settled
    /// One sample of its own, where one stream is not all of it (collectives). Then `run` is for the other passes.
    std::function<Seconds()> timed;
    /// After a run: the largest deviation from what the host computes, as a share of the largest value there.
    std::function<double()> error;
    double tolerance = 0;  ///< of the error
    std::map<std::string, double> values;
    std::map<std::string, std::string> words;
};

}  // namespace dodona::calibrate::cuda
