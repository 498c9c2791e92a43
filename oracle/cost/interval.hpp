// Intervals of times by their evidence.
#pragma once

#include "base/estimate.hpp"

namespace dodona::cost {

/// A time with relative error `error` at the interval's level, symmetric in log space.
constexpr Estimate within(Seconds time, double error) { return {time, time / (1 + error), time * (1 + error)}; }

}  // namespace dodona::cost
