#include "files/traced/onnx_inference.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "files/traced/onnx_numbers.hpp"
#include "files/traced/onnx_shapes.hpp"

namespace dodona::files {

namespace {

constexpr std::size_t kMaxAxesOfShape = 16;

bool is_sane(const Shape& shape) {
    double elements = 1;
    for (const std::int64_t extent : shape) {
        elements *= static_cast<double>(std::max<std::int64_t>(extent, 1));
        if (extent < 0 || extent > kMaxExtentOfShape) {
            return false;
        }
    }
    return shape.size() <= kMaxAxesOfShape && elements <= static_cast<double>(kMaxElements);
}

bool results_are_whole(const OnnxNode& node, const OnnxInputs& inputs) {
    constexpr std::array<std::string_view, 6> kWhole{"Shape", "Size", "ArgMax", "ArgMin", "NonZero", "Equal"};
    if (node.type == "Cast") {
        const auto to = static_cast<std::uint64_t>(integer_of(node, "to", 1));
        return is_whole(to);
    }
    if (std::find(kWhole.begin(), kWhole.end(), node.type) != kWhole.end()) {
        return true;
    }
    return !inputs.empty() && inputs[0] != nullptr && inputs[0]->is_index;
}

/// A Constant has its tensor, number or list as an attribute.
OnnxKnown constant(const OnnxNode& node) {
    OnnxKnown known{.has_shape = true, .is_constant = true};
    for (const auto& [name, attribute] : node.attributes) {
        if (attribute.tensor != nullptr) {
            known.shape = attribute.tensor->shape;
            known.numbers = few_numbers(*attribute.tensor);
            known.is_index = is_whole(attribute.tensor->type);
        } else if (name == "value_float") {
            known.numbers = {attribute.number};
        } else if (name == "value_int" || name == "value_ints") {
            known.is_index = true;
            known.numbers.assign(attribute.integers.begin(), attribute.integers.end());
            known.shape = name == "value_int" ? Shape() : Shape{static_cast<std::int64_t>(known.numbers.size())};
        }
    }
    return known;
}

}  // namespace

std::vector<OnnxKnown> infer(const OnnxNode& node, const OnnxInputs& inputs) {
    std::vector<OnnxKnown> results(node.outputs.size());
    if (results.empty()) {
        return results;
    }
    if (node.type == "Constant") {
        results[0] = constant(node);
        return results;
    }
    const bool is_constant = !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [](const OnnxKnown* input) {
        return input == nullptr || input->is_constant;
    });
    for (OnnxKnown& result : results) {
        result.is_constant = is_constant;
    }
    const bool is_known = !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [](const OnnxKnown* input) {
        return input == nullptr || input->has_shape;
    });
    if (!is_known || inputs[0] == nullptr) {
        return results;
    }
    const OnnxShapes shapes = shapes_of(node, inputs);
    for (std::size_t i = 0; i < shapes.size() && i < results.size(); ++i) {
        if (!shapes[i] || !is_sane(*shapes[i])) {
            continue;
        }
        OnnxKnown& result = results[i];
        result.has_shape = true;
        result.shape = *shapes[i];
        result.is_index = results_are_whole(node, inputs);
        result.is_constant = is_constant || node.type == "Shape" || node.type == "Size";
        for (const OnnxKnown* input : inputs) {
            const bool has_weights = input != nullptr && node.type != "Shape" && node.type != "Size";
            result.weights = std::min(result.weights + (has_weights ? input->weights : 0), kMaxWeights);
            result.is_triangle = result.is_triangle || (input != nullptr && input->is_triangle);
        }
        result.weights = result.is_constant ? result.weights : 0;
        result.is_triangle = (result.is_triangle || node.type == "Trilu") && result.is_constant;
        if (result.is_constant && shapes.size() == 1) {
            result.numbers = computed_numbers(node, inputs, result.shape);
        }
    }
    return results;
}

}  // namespace dodona::files
