// A convolution of two dimensions, for all samples of a pass.
#pragma once

#include "graph/kernel.hpp"

namespace dodona::cost {

struct Convolution {
    double samples = 1;
    double groups = 1;
    double channels = 1;  ///< of a group
    double filters = 1;   ///< of a group
    double height = 1;    ///< of the padded input
    double width = 1;
    double rows = 1;  ///< of the output
    double columns = 1;
    double kernel_height = 1;
    double kernel_width = 1;
    bool dense = true;  ///< strides and dilations of one
    graph::Work work;   ///< of its implicit products
    bool input_gradient = true;
};

}  // namespace dodona::cost
