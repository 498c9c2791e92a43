// Measured runs in a report: over the curves that they are of, and next to their own plans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "questions/report/report.hpp"
#include "reports/document/document.hpp"

namespace dodona::questions::report {

/// The runs whose batch is that of the scaling on their number of GPUs.
std::vector<ReportMeasured> measured_of(const Report& report, const ReportScaling& scaling);

/// Measured throughput of a strategy's runs on these numbers of GPUs; of several runs on one number the mean.
reports::Series measured_series(const std::vector<ReportMeasured>& runs, const std::string& strategy,
                                const std::vector<std::int64_t>& counts, const std::optional<double>& tokens_of_sample);

/// Measured times next to those predicted for the run's own plan; nothing where there are no runs.
void add_measured(reports::Document& document, const Report& report);

}  // namespace dodona::questions::report
