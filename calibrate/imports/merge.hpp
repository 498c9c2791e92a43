// Several times of one case as one measurement.
#pragma once

#include <vector>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// Repeated measurements of the same case by the same back end in the same pass become one, at the place of the first:
/// of one sample each their quartiles, of several samples each the quartiles of what stands for each (its value), the
/// least of all and the sum of samples. Figures are the medians, words those that all have ("source" is joined).
/// Whoever calls gives records of one machine. Other records stay as they are.
std::vector<Record> merged(const std::vector<Record>& records);

}  // namespace dodona::calibrate
