// Shapes of ONNX's tensors, and the numbers of the small ones that shapes are made of.
//
// Exporters write sizes as nodes (Shape, Gather, Concat, Reshape) where they do not know them; with all extents of the
// inputs given, every size is known. onnx's own inference stops at such nodes and knows no operators later than it is.
// Source: onnx/onnx: docs/Operators.md, the semantics of each operator.
#pragma once

#include <vector>

#include "files/traced/onnx_arguments.hpp"

namespace dodona::files {

/// What the results of a node are; without a shape where it cannot be said.
std::vector<OnnxKnown> infer(const OnnxNode& node, const OnnxInputs& inputs);

}  // namespace dodona::files
