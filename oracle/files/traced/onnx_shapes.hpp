// Shapes of the results of ONNX's operators: an operator is a row of the table in onnx_shapes.cpp.
// Source: onnx/onnx: docs/Operators.md.
#pragma once

#include <optional>
#include <vector>

#include "files/traced/onnx_arguments.hpp"

namespace dodona::files {

using OnnxShapes = std::vector<std::optional<Shape>>;

/// Of each result of a node whose inputs have known shapes, the first of them given; nothing where it cannot be said.
OnnxShapes shapes_of(const OnnxNode& node, const OnnxInputs& inputs);

}  // namespace dodona::files
