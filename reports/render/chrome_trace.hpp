// Timelines as Chrome's JSON, which Perfetto, chrome://tracing, TensorBoard and HTA read. Source: "Trace Event Format",
// the Chromium project.
#pragma once

#include <string>

#include "reports/document/trace.hpp"

namespace dodona::reports {

/// Times in microseconds, to the nanosecond.
std::string chrome_trace(const Trace& trace);

}  // namespace dodona::reports
