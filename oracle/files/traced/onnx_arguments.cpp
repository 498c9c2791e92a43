#include "files/traced/onnx_arguments.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::files {

Shape OnnxKnown::integers() const {
    Shape result;
    for (const double number : numbers) {
        result.push_back(std::isnan(number) ? 0 : static_cast<std::int64_t>(std::clamp(number, -1e15, 1e15)));
    }
    return result;
}

Shape integers_of(const OnnxNode& node, const std::string& name, const Shape& usual) {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() || found->second.integers.empty() ? usual : found->second.integers;
}

std::int64_t integer_of(const OnnxNode& node, const std::string& name, std::int64_t usual) {
    return std::clamp(integers_of(node, name, {usual}).front(), -kMaxExtentOfShape, kMaxExtentOfShape);
}

std::optional<std::size_t> axis_in(std::int64_t axis, std::size_t rank) {
    const std::int64_t from_start = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    return from_start < 0 || from_start >= static_cast<std::int64_t>(rank)
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(from_start));
}

std::optional<Shape> axes_of(const OnnxNode& node, const OnnxInputs& inputs, std::size_t at, std::size_t rank) {
    std::optional<Shape> axes;
    if (at < inputs.size() && inputs[at] != nullptr) {
        axes = inputs[at]->integers();
    } else if (node.attributes.contains("axes")) {
        axes = integers_of(node, "axes");
    }
    if (!axes) {
        return std::nullopt;
    }
    for (std::int64_t& axis : *axes) {
        const auto found = axis_in(axis, rank);
        if (!found) {
            return std::nullopt;
        }
        axis = static_cast<std::int64_t>(*found);
    }
    return axes;
}

std::optional<Shape> numbers_of(const OnnxKnown* input) {
    return input != nullptr && (input->has_numbers() || elements_of(input->shape) == 0)
               ? std::optional(input->integers())
               : std::nullopt;
}

Shape shape_at(const OnnxInputs& inputs, std::size_t at) {
    return at < inputs.size() && inputs[at] != nullptr ? inputs[at]->shape : Shape();
}

}  // namespace dodona::files
