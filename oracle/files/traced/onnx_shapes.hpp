// Shapes of ONNX's tensors, and the numbers of the small ones that shapes are made of.
//
// Exporters write sizes as nodes (Shape, Gather, Concat, Reshape) where they do not know them; with all extents of the
// inputs given, every size is known. onnx's own inference stops at such nodes and knows no operators later than it is.
// Source: onnx/onnx: docs/Operators.md, the semantics of each operator.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/traced/onnx_file.hpp"

namespace dodona::files {

/// What is known of a tensor before anything runs.
struct OnnxKnown {
    bool has_shape = false;
    Shape shape;
    std::vector<double> numbers;  ///< all of them, or none
    bool is_index = false;
    bool is_constant = false;
    bool is_weight = false;
    std::int64_t weights = 0;  ///< learnt numbers that it is computed from
    bool is_triangle = false;
    std::string_view bytes;

    [[nodiscard]] bool has_numbers() const { return is_constant && !numbers.empty(); }
    /// The numbers as extents or axes.
    [[nodiscard]] Shape integers() const;
};

using OnnxInputs = std::vector<const OnnxKnown*>;  ///< null: left out

/// What the results of a node are; without a shape where it cannot be said.
std::vector<OnnxKnown> infer(const OnnxNode& node, const OnnxInputs& inputs);

/// The axes that a node names, as an attribute or, in later versions, as its input `at`.
std::optional<Shape> axes_of(const OnnxNode& node, const OnnxInputs& inputs, std::size_t at, std::size_t rank);

/// An attribute's integers; `usual` where it has none.
Shape integers_of(const OnnxNode& node, const std::string& name, const Shape& usual = {});
std::int64_t integer_of(const OnnxNode& node, const std::string& name, std::int64_t usual);

/// What a window of a convolution or of pooling is.
struct OnnxWindow {
    Shape kernel, stride, pad, dilation;  ///< pad: before each axis, then after each
};

/// Of a node on an image of this shape; `weight`: of a convolution.
std::optional<OnnxWindow> window_of(const OnnxNode& node, const Shape& image, const Shape& weight);

}  // namespace dodona::files
