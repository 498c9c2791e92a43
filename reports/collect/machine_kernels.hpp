// Measured kernels of a machine's device: which, of how large, how good, and when.
#pragma once

#include <optional>
#include <string>

#include "cluster/cluster.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// Empty where no kernel was measured.
Table kernel_curve_table(const cluster::Device& device);

Record kernel_curves_record(const cluster::Device& device);

/// Days on which curves of the machine's device and links were measured, first and last; none where none says.
struct MeasuredDays {
    std::string first, last;  ///< ISO 8601
};
std::optional<MeasuredDays> measured_days(const cluster::Cluster& cluster);

}  // namespace dodona::reports
