// Derivatives of a step's time by the logarithms of its error sources.
//
//   T = max_r [ sum_i t_i / v + (m - 1/v) max_i t_i + transfers ] + tail + step + input          (ARCHITECTURE)
//
// of the slowest replica, its slowest stage and the slowest tail. A pass of device time d whose host needs h takes t =
// (h^4 + d^4)^(1/4), so that  d t / d log d = d (d/t)^3  and  d t / d log h = h (h/t)^3.  T is homogeneous of degree
// one in all times, so derivatives by kernels, collectives, host and fixed times add up to T without the times that
// have no error: measured samples, copies to and from hosts, reading. Not modelled: a change of the slowest stage or
// replica.
#pragma once

#include "step/replica.hpp"

namespace dodona::step {

/// Derivatives of the passes of one micro-batch on a stage.
cost::StepTimes pass_sources(const StagePass& pass);

/// Derivatives of a step without its input (input_time.hpp).
cost::StepTimes step_sources(const ComposedStep& composed, const plan::Plan& plan, const cluster::Cluster& cluster);

}  // namespace dodona::step
