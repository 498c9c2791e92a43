// From a case's benchmark to what prepares it.
#pragma once

#include <string>

#include "calibrate/cuda/benchmark_context.hpp"

namespace dodona::calibrate::cuda {

/// Throws CannotMeasure where this back end, as it was built, does not have the benchmark or the shape.
Work prepare(const Case& asked, BenchmarkContext& context);

/// Versions of the libraries that were built in: "cublaslt" -> "13.0.2".
std::map<std::string, std::string> library_versions();

}  // namespace dodona::calibrate::cuda
