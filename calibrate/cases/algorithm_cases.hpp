// The convolutions of a list again, by algorithms that the back end runs when it is told to.
#pragma once

#include <vector>

#include "calibrate/record/benchmark_case.hpp"
#include "calibrate/record/record.hpp"
#include "cluster/convolution_curve.hpp"

namespace dodona::calibrate {

/// Those that the back end names in its fact `algorithms`, separated by blanks. A back end that does not is not asked: it
/// might leave the word aside and run what it always runs. Throws InputError for a word that is none.
std::vector<cluster::ConvolutionAlgorithm> algorithms_of(const Environment& environment);

/// Of two dimensions, in the layout of frameworks (nchw), on so many threads. Winograd's transforms for windows of 3 x 3
/// and Fourier's for images of up to 256, both with strides and dilations of one (cost/convolution_algorithms.hpp).
std::vector<Case> algorithm_cases(const std::vector<Case>& cases,
                                  const std::vector<cluster::ConvolutionAlgorithm>& algorithms, int threads);

}  // namespace dodona::calibrate
