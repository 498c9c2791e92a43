// Quantiles of repeated measurements.
#pragma once

#include <vector>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// Linear between the samples around it, as NumPy's default. `sorted` is not empty; `share` is in 0 ... 1.
double quantile_of_sorted(const std::vector<double>& sorted, double share);

/// The nearest rank: the least value that `share` of the values do not exceed; 0 of none.
double quantile(std::vector<double> values, double share);

/// The middle value, or the mean of the two in the middle. `values` are not empty.
double median(std::vector<double> values);

/// Least, quartiles (linear between the samples around them) and number of times that are not empty. Seconds.
Statistics statistics_of(std::vector<double> times, Estimator estimator = Estimator::median);

}  // namespace dodona::calibrate
