// The three products of a convolution on one device, as implicit matrix products.
#pragma once

#include "graph/kernel.hpp"

namespace dodona::graph {

/// The loops of a convolution; the image\'s own dimensions follow.
enum ConvolutionLoop : int { kGroup = 1, kChannel = 2, kFilter = 3, kSpatial = 4 };

/// Of one group. Counts of elements; `positions` over samples and space.
struct ConvolutionShape {
    double samples = 0;
    double positions = 0;  ///< results of a filter
    double channels = 0;
    double filters = 0;
    double groups = 1;
    double window_area = 1;  ///< multiply-accumulates per result, channel and filter
    double input_ratio = 1;  ///< positions read per result
    int wide = 2;            ///< dimensions in which the window has more than one position
};

/// Y (positions x filters over channels of a window), dX and dW, in their directions. All move X, W and Y once.
Work convolution(const ConvolutionShape& shape);

}  // namespace dodona::graph
