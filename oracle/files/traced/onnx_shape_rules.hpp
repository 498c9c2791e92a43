// Rules of the table of onnx_shapes.cpp that are too many for its file: the shape of the result of a node, or nothing
// where it cannot be said. All shapes of inputs are known, and the first input is given.
#pragma once

#include <optional>

#include "files/traced/onnx_arguments.hpp"

namespace dodona::files {

// Images: onnx_shapes_of_images.cpp.
std::optional<Shape> convolved(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> transposed_convolved(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> pooled(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> pooled_whole(const OnnxNode& node, const OnnxInputs& inputs);

// The same numbers in another order or extent: onnx_shapes_of_views.cpp.
std::optional<Shape> reshaped(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> flattened(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> permuted(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> squeezed(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> unsqueezed(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> joined_shape(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> sliced_shape(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> gathered(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> tiled(const OnnxNode& node, const OnnxInputs& inputs);
std::optional<Shape> padded(const OnnxNode& node, const OnnxInputs& inputs);

}  // namespace dodona::files
