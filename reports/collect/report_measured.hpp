// Measured runs in a report: over the curves that they are of, and beside their own plans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/collect/report.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// The runs whose batch is that of the scaling on their number of GPUs.
std::vector<ReportMeasured> measured_of(const Report& report, const ReportScaling& scaling);

/// Measured throughput of a strategy's runs on these numbers of GPUs; of several runs on one number the mean.
Series measured_series(const std::vector<ReportMeasured>& runs, const std::string& strategy,
                       const std::vector<std::int64_t>& counts, const std::optional<double>& tokens_of_sample);

/// What was measured beside what is predicted for the run's own plan; nothing where there are no runs.
void add_measured(Document& document, const Report& report);

}  // namespace dodona::reports
