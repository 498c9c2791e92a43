// The numbers of small constant tensors, computed as ONNX's operators say.
#pragma once

#include <vector>

#include "files/traced/onnx_arguments.hpp"

namespace dodona::files {

/// The numbers of a node's single result, of this shape; none where they are not needed to know shapes.
std::vector<double> computed_numbers(const OnnxNode& node, const OnnxInputs& inputs, const Shape& shape);

}  // namespace dodona::files
