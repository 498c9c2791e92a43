// Numbers with the digits that a fit supports.
#pragma once

#include "base/quantity.hpp"
#include "cluster/kernel_fit.hpp"

namespace dodona::calibrate {

double to_digits(double value, int digits);      ///< significant ones
double to_decimals(double value, int decimals);  ///< after the point
Seconds to_digits(Seconds time, int digits);     ///< of microseconds, from 1 ms on of milliseconds

/// A fitted profile as its file has it.
cluster::Profile rounded(cluster::Profile profile);

}  // namespace dodona::calibrate
