// Cases as jobs. What a case says wrongly or what does not run here is CannotMeasure, with a sentence.
#pragma once

#include <string_view>

#include "calibrate/cpu/job.hpp"
#include "calibrate/cpu/onednn.hpp"
#include "calibrate/cpu/workbench.hpp"
#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate::cpu {

/// The job of any benchmark but `interference`, which is two of them side by side.
Job prepare(const Case& asked, const Workbench& bench);

Job matmul(const Case& asked, const Workbench& bench);
Job attention(const Case& asked, const Workbench& bench);
Job recurrent(const Case& asked, const Workbench& bench);
Job convolution(const Case& asked, const Workbench& bench);
Job operators(const Case& asked, const Workbench& bench);
Job stream(const Case& asked, const Workbench& bench);
Job gather(const Case& asked, const Workbench& bench);
Job update(const Case& asked, const Workbench& bench);
Job reorder(const Case& asked, const Workbench& bench);
Job launch(const Case& asked, const Workbench& bench);

/// A whole number from 1; where the case has none, `otherwise`, or a sentence where that is 0.
std::int64_t count(const Case& asked, std::string_view name, std::int64_t otherwise = 0);
/// "3x3" or 3, one for each of `dimensions`.
Extents extents_of(const Case& asked, std::string_view name, std::size_t dimensions, std::int64_t otherwise);
Precision precision_of(const Case& asked);
Pass direction_of(const Case& asked);
Layout layout_from(std::string_view word);

}  // namespace dodona::calibrate::cpu
