// A prediction in the parts that a trace of a device shows.
//
//   kernels by kind    the kernels of the passes (busy_s) in the proportions in which the step depends on each kind of
//                      kernel (uncertainty.sources); what communication beside them costs (interference) is dealt to them
//   communication      exposed times of time_s; busy times and numbers by collective
//   waiting            the pipeline's bubble, and slower ranks (stragglers)
//   idle               reading samples, the host that launches kernels, the fixed time of a step
#pragma once

#include <array>
#include <string>

#include "base/estimate.hpp"
#include "reports/document/record.hpp"
#include "traces/device_work.hpp"

namespace dodona::reports {

struct PredictedStep {
    std::string plan;  ///< "zero2 on data 16"
    Estimate step;
    std::array<Seconds, traces::kDeviceWorks> busy{};  ///< of compute and of communication
    std::array<double, traces::kDeviceWorks> calls{};  ///< of communication
    Seconds communication;                             ///< exposed
    Seconds waiting;
    Seconds copies;  ///< to and from the host, exposed
    Seconds idle;
};

/// Of a `dodona/predict/1`. Throws InputError, with `name` as its place, for another record and for a plan that cannot run.
PredictedStep predicted_step(const Record& prediction, const std::string& name);

}  // namespace dodona::reports
