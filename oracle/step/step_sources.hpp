// Derivatives of a step's time by the logarithms of its error sources.
//
// The step is composed once more of numbers that carry their derivatives (cost/dual_time.hpp), of the slowest replica and the
// slowest tail. A pass of device time d whose host needs h takes t = (h^4 + d^4)^(1/4), so that  d t / d log d = d (d/t)^3
// and  d t / d log h = h (h/t)^3.  The step is homogeneous of degree one in all times, so derivatives by kernels,
// collectives, host and fixed times add up to it without the times that have no error: measured samples, copies to and
// from hosts, reading. Not modelled: a change of the critical path or of the slowest replica.
#pragma once

#include "step/replica.hpp"

namespace dodona::step {

/// Derivatives of a step without its input (input_time.hpp).
cost::StepTimes step_sources(const ComposedStep& composed, const plan::Plan& plan);

}  // namespace dodona::step
