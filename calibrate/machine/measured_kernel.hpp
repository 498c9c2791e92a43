// Turns measured cases into times of the oracle's kernels.
//
// Products, recurrent steps and fused attention are the kernels that operators of those extents emit
// (graph/operators). A case that a network asked for (cases/model_cases.hpp) carries what the network's own kernel
// moves and computes in `moved` (bytes) and `flops`; where an operator's backward pass is measured as one and the
// network has two kernels for it, `weight_moved` and `weight_flops` are those of the second, and the time goes to both
// by their bytes. Passes without `moved` (an operator of the general list) say nothing about single kernels.
#pragma once

#include <vector>

#include "base/precision.hpp"
#include "calibrate/record/record.hpp"
#include "graph/kernel.hpp"

namespace dodona::calibrate {

struct MeasuredKernel {
    graph::Kernel kernel;
    Precision precision = Precision::fp32;
    Seconds time;
    bool exact = false;  ///< of a pass: of this operator only, not of any that moves as much
    std::string date;
    Statistics statistics;  ///< of the whole case
};

/// None where the case is of no kernel (a copy, a collective), of a convolution by an algorithm that it names
/// (measured_convolutions.hpp), or was not timed. Throws InternalError where words of
/// the case are not those of benchmark_case.hpp.
std::vector<MeasuredKernel> measured_kernels(const Measurement& measurement);

/// fp32 without. Throws InternalError for another word.
Precision precision_of(const Case& of);

/// "forward", "backward-input", "backward-weight" as a case has them; forward without.
graph::Direction direction_of(const Case& of);

}  // namespace dodona::calibrate
