// Measured kernels of compression: curves over the bytes that they move.
#pragma once

#include <span>
#include <vector>

#include "calibrate/record/record.hpp"
#include "cluster/compression_curve.hpp"

namespace dodona::calibrate {

/// One curve of each kind that was measured, the quickest time of each size.
std::vector<cluster::CompressionCurve> measured_compressions(std::span<const Record> records,
                                                             const cluster::Provenance& from);

}  // namespace dodona::calibrate
