// Convolutions that were measured by the algorithm that their case names.
#pragma once

#include <span>
#include <vector>

#include "calibrate/record/record.hpp"
#include "cluster/convolution_curve.hpp"

namespace dodona::calibrate {

/// A curve for each algorithm, precision and pass, of two dimensions; of a shape the quickest time. A case of an unknown
/// algorithm has none.
std::vector<cluster::ConvolutionCurve> measured_convolutions(std::span<const Record> records,
                                                             const cluster::Provenance& from);

}  // namespace dodona::calibrate
