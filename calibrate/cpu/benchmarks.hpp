// Makes jobs of cases. Throws CannotMeasure, with a reason, for faulty cases and for those that this CPU cannot run.
#pragma once

#include <string_view>

#include "calibrate/cpu/job.hpp"
#include "calibrate/cpu/onednn.hpp"
#include "calibrate/cpu/tensor_factory.hpp"
#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate::cpu {

/// The job of any benchmark except `interference`, which runs two of them side by side.
Job prepare(const Case& asked, const TensorFactory& factory);

Job matmul(const Case& asked, const TensorFactory& factory);
Job attention(const Case& asked, const TensorFactory& factory);
Job recurrent(const Case& asked, const TensorFactory& factory);
Job convolution(const Case& asked, const TensorFactory& factory);
Job operators(const Case& asked, const TensorFactory& factory);
Job stream(const Case& asked, const TensorFactory& factory);
Job gather(const Case& asked, const TensorFactory& factory);
Job compression(const Case& asked, const TensorFactory& factory);
Job launch(const Case& asked, const TensorFactory& factory);
Job fork_join(const Case& asked, const TensorFactory& factory);
Job crowd(const Case& asked, const TensorFactory& factory);

/// A whole number of at least 1. Where the case has none: `otherwise`, or CannotMeasure where that is 0.
std::int64_t count(const Case& asked, std::string_view name, std::int64_t otherwise = 0);
/// "3x3" or 3, one for each of `dimensions`.
Extents extents_of(const Case& asked, std::string_view name, std::size_t dimensions, std::int64_t otherwise);
Precision precision_of(const Case& asked);
Pass direction_of(const Case& asked);
Layout layout_from(std::string_view word);

}  // namespace dodona::calibrate::cpu
