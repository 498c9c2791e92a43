#include "files/traced/onnx_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/ranges.hpp"
#include "files/traced/onnx_numbers.hpp"
#include "files/traced/onnx_shape_rules.hpp"

namespace dodona::files {

namespace {

std::optional<Shape> as_first(const OnnxNode& /*node*/, const OnnxInputs& inputs) { return inputs[0]->shape; }

/// Extents of 1 are repeated; shapes are aligned at their ends.
std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
    Shape result(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::int64_t from_a = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t from_b = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (from_a != from_b && from_a != 1 && from_b != 1) {
            return std::nullopt;
        }
        result[result.size() - 1 - i] = from_a == 1 ? from_b : from_a;
    }
    return result;
}

std::optional<Shape> broadcast_all(const OnnxNode& /*node*/, const OnnxInputs& inputs) {
    std::optional<Shape> result = Shape{};
    for (const OnnxKnown* input : inputs) {
        result = result && input != nullptr ? broadcast(*result, input->shape) : result;
    }
    return result;
}

std::optional<Shape> expanded(const OnnxNode& /*node*/, const OnnxInputs& inputs) {
    const auto to = inputs.size() > 1 ? numbers_of(inputs[1]) : std::nullopt;
    return to ? broadcast(inputs[0]->shape, *to) : std::nullopt;
}

std::optional<Shape> multiplied(const OnnxNode& /*node*/, const OnnxInputs& inputs) {
    const Shape& a = inputs[0]->shape;
    const Shape b = shape_at(inputs, 1);
    if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2]) {
        return std::nullopt;
    }
    std::optional<Shape> result = broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
    if (result) {
        result->push_back(a[a.size() - 2]);
        result->push_back(b.back());
    }
    return result;
}

std::optional<Shape> multiplied_matrices(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& a = inputs[0]->shape;
    const Shape b = shape_at(inputs, 1);
    if (a.size() != 2 || b.size() != 2) {
        return std::nullopt;
    }
    return Shape{a[integer_of(node, "transA", 0) != 0 ? 1 : 0], b[integer_of(node, "transB", 0) != 0 ? 0 : 1]};
}

std::optional<Shape> counted(const OnnxNode& /*node*/, const OnnxInputs& inputs) {
    if (inputs.size() != 3 ||
        !all_of(inputs, [](const OnnxKnown* input) { return input != nullptr && input->has_numbers(); })) {
        return std::nullopt;
    }
    const double step = inputs[2]->numbers[0];
    const double count = step == 0 ? 0 : std::ceil((inputs[1]->numbers[0] - inputs[0]->numbers[0]) / step);
    return Shape{static_cast<std::int64_t>(std::clamp(count, 0.0, 1e9))};
}

std::optional<Shape> reduced(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& from = inputs[0]->shape;
    const bool is_argument = node.type == "ArgMax" || node.type == "ArgMin";
    const auto axes =
        is_argument ? std::optional(Shape{integer_of(node, "axis", 0)}) : axes_of(node, inputs, 1, from.size());
    const bool keeps = integer_of(node, "keepdims", 1) != 0;
    Shape result;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto here = static_cast<std::int64_t>(i);
        const bool is_over = !axes || axes->empty() || std::find(axes->begin(), axes->end(), here) != axes->end();
        if (!is_over) {
            result.push_back(from[i]);
        } else if (keeps) {
            result.push_back(1);
        }
    }
    return result;
}

/// "ij,jk->ik": each letter is an extent.
std::optional<Shape> summed(const OnnxNode& node, const OnnxInputs& inputs) {
    const auto equation = node.attributes.find("equation");
    std::string text = equation == node.attributes.end() ? "" : equation->second.text;
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    if (arrow == std::string::npos || text.find('.') != std::string::npos) {
        return std::nullopt;
    }
    std::map<char, std::int64_t> extents;
    std::size_t input = 0;
    std::size_t axis = 0;
    for (const char letter : text.substr(0, arrow)) {
        if (letter == ',') {
            ++input;
            axis = 0;
            continue;
        }
        if (input >= inputs.size() || inputs[input] == nullptr || axis >= inputs[input]->shape.size()) {
            return std::nullopt;
        }
        extents[letter] = inputs[input]->shape[axis++];
    }
    Shape result;
    append(result, text.substr(arrow + 2), [&](const char letter) { return extents[letter]; });
    return result;
}

std::optional<Shape> as_numbers_say(const OnnxNode& /*node*/, const OnnxInputs& inputs) {
    return numbers_of(inputs[0]);
}

std::optional<Shape> extents(const OnnxNode& node, const OnnxInputs& inputs) {
    return Shape{static_cast<std::int64_t>(computed_numbers(node, inputs, {}).size())};
}

std::optional<Shape> one_number(const OnnxNode& /*node*/, const OnnxInputs& /*inputs*/) { return Shape{}; }

OnnxShapes split(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& from = inputs[0]->shape;
    OnnxShapes results(node.outputs.size());
    const auto axis = axis_in(integer_of(node, "axis", 0), from.size());
    const bool has_input = inputs.size() > 1 && inputs[1] != nullptr;
    const std::optional<Shape> sizes = has_input ? numbers_of(inputs[1]) : std::optional(integers_of(node, "split"));
    const auto count = static_cast<std::int64_t>(results.size());
    for (std::size_t i = 0; axis && sizes && i < results.size(); ++i) {
        results[i] = from;
        const std::int64_t even = (from[*axis] + count - 1) / count;
        const std::int64_t left = from[*axis] - static_cast<std::int64_t>(i) * even;
        (*results[i])[*axis] = i < sizes->size() ? (*sizes)[i] : std::clamp(left, std::int64_t{0}, even);
    }
    return results;
}

/// All states, the last of them, and of an LSTM the last cells.
OnnxShapes recurrent(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& from = inputs[0]->shape;
    OnnxShapes results(node.outputs.size());
    if (from.size() == 3 && inputs.size() > 2 && inputs[1] != nullptr && inputs[1]->shape.size() == 3) {
        const std::int64_t directions = inputs[1]->shape[0];
        const std::int64_t hidden = integer_of(node, "hidden_size", 1);
        const bool batch_first = integer_of(node, "layout", 0) != 0;
        const std::int64_t batch = from[batch_first ? 0 : 1];
        for (std::size_t i = 0; i < results.size(); ++i) {
            results[i] = batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
        }
        results[0] =
            batch_first ? Shape{batch, from[1], directions, hidden} : Shape{from[0], directions, batch, hidden};
    }
    return results;
}

/// An operator with one result, and the rule of its shape.
struct ShapeRule {
    std::string_view type;
    std::optional<Shape> (*shape)(const OnnxNode& node, const OnnxInputs& inputs);

    constexpr bool operator<(const ShapeRule& other) const { return type < other.type; }
};

constexpr std::array<ShapeRule, 100> kRows{{
    {"Abs", as_first},
    {"Add", broadcast_all},
    {"And", broadcast_all},
    {"ArgMax", reduced},
    {"ArgMin", reduced},
    {"AveragePool", pooled},
    {"BatchNormalization", as_first},
    {"Cast", as_first},
    {"CastLike", as_first},
    {"Ceil", as_first},
    {"Celu", as_first},
    {"Clip", as_first},
    {"Concat", joined_shape},
    {"ConstantOfShape", as_numbers_say},
    {"Conv", convolved},
    {"ConvTranspose", transposed_convolved},
    {"Cos", as_first},
    {"CumSum", as_first},
    {"Div", broadcast_all},
    {"Dropout", as_first},
    {"Einsum", summed},
    {"Elu", as_first},
    {"Equal", broadcast_all},
    {"Erf", as_first},
    {"Exp", as_first},
    {"Expand", expanded},
    {"FastGelu", as_first},
    {"Flatten", flattened},
    {"Floor", as_first},
    {"Gather", gathered},
    {"Gelu", as_first},
    {"Gemm", multiplied_matrices},
    {"GlobalAveragePool", pooled_whole},
    {"GlobalMaxPool", pooled_whole},
    {"Greater", broadcast_all},
    {"GreaterOrEqual", broadcast_all},
    {"GroupNormalization", as_first},
    {"HardSigmoid", as_first},
    {"HardSwish", as_first},
    {"Identity", as_first},
    {"InstanceNormalization", as_first},
    {"IsInf", as_first},
    {"IsNaN", as_first},
    {"LRN", as_first},
    {"LayerNormalization", as_first},
    {"LeakyRelu", as_first},
    {"Less", broadcast_all},
    {"LessOrEqual", broadcast_all},
    {"Log", as_first},
    {"LogSoftmax", as_first},
    {"MatMul", multiplied},
    {"Max", broadcast_all},
    {"MaxPool", pooled},
    {"Min", broadcast_all},
    {"Mish", as_first},
    {"Mod", broadcast_all},
    {"Mul", broadcast_all},
    {"Neg", as_first},
    {"Not", as_first},
    {"Or", broadcast_all},
    {"PRelu", broadcast_all},
    {"Pad", padded},
    {"Pow", broadcast_all},
    {"RMSNormalization", as_first},
    {"Range", counted},
    {"Reciprocal", as_first},
    {"ReduceL1", reduced},
    {"ReduceL2", reduced},
    {"ReduceLogSum", reduced},
    {"ReduceLogSumExp", reduced},
    {"ReduceMax", reduced},
    {"ReduceMean", reduced},
    {"ReduceMin", reduced},
    {"ReduceProd", reduced},
    {"ReduceSum", reduced},
    {"ReduceSumSquare", reduced},
    {"Relu", as_first},
    {"Reshape", reshaped},
    {"Round", as_first},
    {"ScatterND", as_first},
    {"Selu", as_first},
    {"Shape", extents},
    {"Sigmoid", as_first},
    {"Sign", as_first},
    {"SimplifiedLayerNormalization", as_first},
    {"Sin", as_first},
    {"Size", one_number},
    {"Slice", sliced_shape},
    {"Softmax", as_first},
    {"Softplus", as_first},
    {"Softsign", as_first},
    {"Sqrt", as_first},
    {"Squeeze", squeezed},
    {"Sub", broadcast_all},
    {"Tanh", as_first},
    {"Tile", tiled},
    {"Transpose", permuted},
    {"Trilu", as_first},
    {"Unsqueeze", unsqueezed},
    {"Where", broadcast_all},
}};
static_assert(std::is_sorted(kRows.begin(), kRows.end()));

}  // namespace

OnnxShapes shapes_of(const OnnxNode& node, const OnnxInputs& inputs) {
    if (node.type == "Split") {
        return split(node, inputs);
    }
    if (node.type == "LSTM" || node.type == "GRU" || node.type == "RNN") {
        return recurrent(node, inputs);
    }
    const auto row = std::lower_bound(kRows.begin(), kRows.end(), ShapeRule{node.type, nullptr});
    const bool is_known = row != kRows.end() && row->type == node.type;
    return {is_known ? row->shape(node, inputs) : std::nullopt};
}

}  // namespace dodona::files
