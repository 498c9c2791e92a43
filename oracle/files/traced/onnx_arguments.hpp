// What a node of ONNX is given: attributes, and what is known of its inputs before anything runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/traced/onnx_file.hpp"

namespace dodona::files {

/// Extents beyond are refused, whatever computes them; elements likewise.
inline constexpr std::int64_t kMaxExtentOfShape = 1'000'000'000;
inline constexpr std::int64_t kMaxElements = 1'000'000'000'000'000;

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

/// The axes that a node names, as an attribute or, in later versions, as its input `at`.
std::optional<Shape> axes_of(const OnnxNode& node, const OnnxInputs& inputs, std::size_t at, std::size_t rank);

/// An attribute's integers; `usual` where it has none.
Shape integers_of(const OnnxNode& node, const std::string& name, const Shape& usual = {});
std::int64_t integer_of(const OnnxNode& node, const std::string& name, std::int64_t usual);

/// An axis counted from 0; nothing where there is none such.
std::optional<std::size_t> axis_in(std::int64_t axis, std::size_t rank);

/// The numbers of an input as extents or axes; nothing where they are not known.
std::optional<Shape> numbers_of(const OnnxKnown* input);

/// The shape of the input `at`; empty where it is left out.
Shape shape_at(const OnnxInputs& inputs, std::size_t at);

/// What a window of a convolution or of pooling is.
struct OnnxWindow {
    Shape kernel, stride, pad, dilation;  ///< pad: before each axis, then after each
};

/// Of a node on an image of this shape; `weight`: of a convolution.
std::optional<OnnxWindow> window_of(const OnnxNode& node, const Shape& image, const Shape& weight);

}  // namespace dodona::files
