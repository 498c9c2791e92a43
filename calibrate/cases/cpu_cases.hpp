// The cases that measure a CPU about which nothing is known.
#pragma once

#include <vector>

#include "base/quantity.hpp"
#include "calibrate/cases/case_list.hpp"
#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate {

/// Products that would take longer than this, at kAssumedCpuRate per thread, are left out.
inline constexpr Seconds kLongestCpuCase = 0.3_s;
inline constexpr FlopPerSecond kAssumedCpuRate = 0.02_TFLOP_per_s;

/// Products over the whole range of sizes and skews, convolutions of usual networks, operators, cells, attention,
/// streams through every cache, gathers, updates, dispatch and interference; on one thread, and the larger of them on
/// `threads` where that is more (logical CPUs of the machine). In a fixed order.
std::vector<Case> cpu_cases(const CaseOptions& options, int threads);

/// Of a network's forward products and convolutions the three of each that compute most: on as many threads as there are
/// cores, on twice as many, and two operators on all cores each.
std::vector<Case> crowds_of(const std::vector<Case>& network, int cores);

}  // namespace dodona::calibrate
