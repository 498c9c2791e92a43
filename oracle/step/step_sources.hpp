// What a step's time rests on: its derivatives by the logarithms of all sources of error.
//
//   T = max_r [ sum_i t_i / v + (m - 1/v) max_i t_i + transfers ] + tail + step + input          (ARCHITECTURE)
//
// of which the slowest replica, its slowest stage and the slowest tail count. A pass of device time d under a host that
// needs h takes t = (h^4 + d^4)^(1/4), so that  d t / d log d = d (d/t)^3  and  d t / d log h = h (h/t)^3.  T is
// homogeneous of degree one in all times, so derivatives by kernels, collectives, host and fixed times add up to T,
// less what has no error: measured samples, copies to and from hosts, reading. Not modelled: that another stage or
// replica may become the slowest.
#pragma once

#include "step/replica.hpp"

namespace dodona::step {

/// Of one micro-batch through a stage.
cost::StepTimes pass_sources(const StagePass& pass);

/// Of a job's step but for its input (input_time.hpp).
cost::StepTimes step_sources(const ComposedStep& composed, const plan::Plan& plan, const cluster::Cluster& cluster);

}  // namespace dodona::step
