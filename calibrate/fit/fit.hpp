// Fits the equation of cost/kernel_fit.hpp to measured kernels.
//
// Every row is held out once: five fits to four fifths of the rows give the errors, a sixth to all rows the parameters.
// Least squares of log(predicted / measured), each residual r beyond 0.1 as
// sqrt(0.1 (2|r| - 0.1)) (Huber's loss), so that a few odd rows do not pull. The solver (least_squares.hpp) starts from
// a fixed list of points and the best end wins. Parameters stay within physical bounds.
// Source: Huber, "Robust estimation of a location parameter", Ann. Math. Statist. 35 (1964).
#pragma once

#include "calibrate/fit/series.hpp"
#include "cluster/device.hpp"

namespace dodona::calibrate {

/// How far a model is off on the rows held out.
struct HeldOut {
    double median = 0;
    double p90 = 0;
};

struct Fitted {
    cluster::KernelFit fit;
    HeldOut roofline;  ///< of the data sheet's answer, on the same rows
    /// Measured time over the data sheet's: the 5th percentile, the median and the 95th.
    struct OverRoofline {
        double low = 1, middle = 1, high = 1;
    } over_roofline;
};

inline constexpr std::size_t kFewestSamples = 15;  ///< three of each fold

/// `device` describes what the rows were measured on and has the series' precision. At least kFewestSamples rows.
/// `wide_start`: of rows that cast their input, the start of the 16-bit product on the same device, which is taken for
/// theirs.
Fitted fit(const Series& series, const cluster::Device& device, Seconds wide_start = {});

}  // namespace dodona::calibrate
