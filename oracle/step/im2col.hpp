// Convolutions of software that writes their windows out as a matrix (im2col) and multiplies it, a few samples at a time.
//
//   forward   columns (positions x window) from X;   Y = columns times W
//   dX        columns = dY times W;                  X += columns, position by position (col2im)
//   dW        columns from X once more;              dW += dY times columns
//
// Small images make small products: of the 49 positions of a 7 x 7 image a tile of 128 rows is filled by a third. Each
// matrix and each product is a launch of its own. Source: Caffe, src/caffe/layers/conv_layer.cu and base_conv_layer.hpp;
// torch/cunn, SpatialConvolutionMM.cu: both loop over the samples of a batch.
#pragma once

#include <vector>

#include "graph/kernel.hpp"

namespace dodona::step {

/// The passes and products of a convolution that takes `at_once` samples at a time. Domain: at_once above 0. A
/// convolution whose samples are not known stays as it is.
std::vector<graph::Kernel> im2col(const graph::Kernel& convolution, double at_once);

}  // namespace dodona::step
