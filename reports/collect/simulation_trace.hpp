// The timeline of a simulated step: a process for each stage, a thread for each of its streams.
#pragma once

#include "play/simulated_step.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/trace.hpp"

namespace dodona::reports {

Trace simulation_trace(const Subject& subject, const play::SimulatedStep& step);

}  // namespace dodona::reports
