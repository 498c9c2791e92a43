#include "files/traced/onnx_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "files/traced/onnx_numbers.hpp"

namespace dodona::files {

namespace {

constexpr std::int64_t kMostExtentOfShape = 1'000'000'000;
constexpr std::size_t kMostAxesOfShape = 16;
constexpr std::int64_t kMostElements = 1'000'000'000'000'000;

using Result = std::optional<Shape>;

/// The axis counted from 0; nothing where there is none such.
std::optional<std::size_t> axis_in(std::int64_t axis, std::size_t rank) {
    const std::int64_t from_start = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    return from_start < 0 || from_start >= static_cast<std::int64_t>(rank)
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(from_start));
}

/// Extents of 1 are repeated; shapes are aligned at their ends.
Result broadcast(const Shape& a, const Shape& b) {
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

Result broadcast_all(const OnnxInputs& inputs) {
    Result result = Shape{};
    for (const OnnxKnown* input : inputs) {
        result = result && input != nullptr ? broadcast(*result, input->shape) : result;
    }
    return result;
}

Result product(const Shape& a, const Shape& b) {
    if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2]) {
        return std::nullopt;
    }
    Result result = broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
    if (result) {
        result->push_back(a[a.size() - 2]);
        result->push_back(b.back());
    }
    return result;
}

Result gemm(const OnnxNode& node, const Shape& a, const Shape& b) {
    if (a.size() != 2 || b.size() != 2) {
        return std::nullopt;
    }
    return Shape{a[integer_of(node, "transA", 0) != 0 ? 1 : 0], b[integer_of(node, "transB", 0) != 0 ? 0 : 1]};
}

Result windows(const OnnxNode& node, const Shape& image, const Shape& weight) {
    const auto window = window_of(node, image, weight);
    if (!window) {
        return std::nullopt;
    }
    const std::size_t count = image.size() - 2;
    Shape result{image[0], weight.empty() ? image[1] : weight[0]};
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t span = (window->kernel[i] - 1) * window->dilation[i] + 1;
        const std::int64_t room = image[i + 2] + window->pad[i] + window->pad[i + count] - span;
        const std::int64_t stride = window->stride[i];
        if (room < 0) {
            return std::nullopt;
        }
        std::int64_t positions = room / stride + 1;
        const bool ceil = integer_of(node, "ceil_mode", 0) != 0;
        if (ceil && room % stride != 0 && positions * stride < image[i + 2] + window->pad[i]) {
            ++positions;
        }
        result.push_back(positions);
    }
    return result;
}

Result transposed_windows(const OnnxNode& node, const Shape& image, const Shape& weight) {
    const auto window = window_of(node, image, weight);
    if (!window || weight.size() < 3) {
        return std::nullopt;
    }
    const std::size_t count = image.size() - 2;
    const Shape extra = integers_of(node, "output_padding", Shape(count, 0));
    Shape result{image[0], weight[1] * integer_of(node, "group", 1)};
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back((image[i + 2] - 1) * window->stride[i] + (window->kernel[i] - 1) * window->dilation[i] + 1 +
                         (i < extra.size() ? std::clamp(extra[i], std::int64_t{0}, kMostExtentOfShape) : 0) -
                         window->pad[i] - window->pad[i + count]);
    }
    return result;
}

Result global(const Shape& image) {
    Shape result = image;
    for (std::size_t i = 2; i < result.size(); ++i) {
        result[i] = 1;
    }
    return result;
}

/// 0 keeps the extent of the input; one -1 takes what is left.
Result reshaped(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& from = inputs[0]->shape;
    if (inputs.size() < 2 || inputs[1] == nullptr) {
        return std::nullopt;
    }
    if (!inputs[1]->has_numbers() && elements_of(inputs[1]->shape) != 0) {
        return std::nullopt;
    }
    Shape to = inputs[1]->integers();
    std::int64_t known = 1;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (to[i] == 0 && integer_of(node, "allowzero", 0) == 0 && i < from.size()) {
            to[i] = from[i];
        }
        if (to[i] < -1 || (to[i] > 0 && known > kMostElements / to[i])) {
            return std::nullopt;
        }
        if (to[i] == -1) {
            open = i;
        } else {
            known *= to[i];
        }
    }
    const std::int64_t all = elements_of(from);
    if (open && known > 0) {
        to[*open] = all / known;
    }
    return elements_of(to) == all ? Result(to) : std::nullopt;
}

Result flattened(const OnnxNode& node, const Shape& from) {
    const std::int64_t axis = integer_of(node, "axis", 1);
    const std::int64_t at = axis < 0 ? axis + static_cast<std::int64_t>(from.size()) : axis;
    if (at < 0 || at > static_cast<std::int64_t>(from.size())) {
        return std::nullopt;
    }
    const auto middle = from.begin() + at;
    return Shape{elements_of({from.begin(), middle}), elements_of({middle, from.end()})};
}

Result permuted(const OnnxNode& node, const Shape& from) {
    Shape order(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        order[i] = static_cast<std::int64_t>(from.size() - 1 - i);
    }
    order = integers_of(node, "perm", order);
    Shape result;
    for (const std::int64_t axis : order) {
        const auto at = axis_in(axis, from.size());
        if (!at || order.size() != from.size()) {
            return std::nullopt;
        }
        result.push_back(from[*at]);
    }
    return result;
}

Result squeezed(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& from = inputs[0]->shape;
    const auto axes = axes_of(node, inputs, 1, from.size());
    Shape result;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const bool is_named =
            axes && std::find(axes->begin(), axes->end(), static_cast<std::int64_t>(i)) != axes->end();
        if (axes ? !is_named : from[i] != 1) {
            result.push_back(from[i]);
        }
    }
    return result;
}

Result unsqueezed(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& from = inputs[0]->shape;
    const Shape given = inputs.size() > 1 && inputs[1] != nullptr ? inputs[1]->integers() : integers_of(node, "axes");
    const auto axes = axes_of(node, inputs, 1, from.size() + given.size());
    if (!axes) {
        return std::nullopt;
    }
    Shape result;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < from.size() + axes->size(); ++i) {
        const bool is_new = std::find(axes->begin(), axes->end(), static_cast<std::int64_t>(i)) != axes->end();
        if (!is_new && taken == from.size()) {
            return std::nullopt;
        }
        result.push_back(is_new ? 1 : from[taken++]);
    }
    return result;
}

Result joined_shape(const OnnxNode& node, const OnnxInputs& inputs) {
    Shape result = inputs[0]->shape;
    const auto axis = axis_in(integer_of(node, "axis", 0), result.size());
    if (!axis) {
        return std::nullopt;
    }
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        if (inputs[i] == nullptr || inputs[i]->shape.size() != result.size()) {
            return std::nullopt;
        }
        result[*axis] += inputs[i]->shape[*axis];
    }
    return result;
}

Result sliced_shape(const OnnxNode& node, const OnnxInputs& inputs) {
    Shape result = inputs[0]->shape;
    const auto given = [&](std::size_t at, const char* name) -> std::optional<Shape> {
        if (at < inputs.size() && inputs[at] != nullptr) {
            return inputs[at]->has_numbers() ? std::optional(inputs[at]->integers()) : std::nullopt;
        }
        return integers_of(node, name);
    };
    const auto starts = given(1, "starts");
    const auto ends = given(2, "ends");
    auto axes = axes_of(node, inputs, 3, result.size());
    const auto steps = given(4, "steps");
    if (!starts || !ends || !steps || starts->size() != ends->size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < starts->size(); ++i) {
        const std::size_t axis = axes && i < axes->size() ? static_cast<std::size_t>((*axes)[i]) : i;
        if (axis >= result.size()) {
            return std::nullopt;
        }
        const std::int64_t extent = result[axis];
        const std::int64_t step = i < steps->size() ? (*steps)[i] : 1;
        const auto inside = [&](std::int64_t at, std::int64_t least, std::int64_t most) {
            return std::clamp(at < 0 ? at + extent : at, least, most);
        };
        if (step == 0) {
            return std::nullopt;
        }
        const std::int64_t span = step > 0 ? inside((*ends)[i], 0, extent) - inside((*starts)[i], 0, extent)
                                           : inside((*starts)[i], 0, extent - 1) - inside((*ends)[i], -1, extent - 1);
        const std::int64_t size = step > 0 ? step : -step;
        result[axis] = span <= 0 ? 0 : (span + size - 1) / size;
    }
    return result;
}

Result gathered(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& from = inputs[0]->shape;
    const auto axis = axis_in(integer_of(node, "axis", 0), from.size());
    if (!axis || inputs.size() < 2 || inputs[1] == nullptr) {
        return std::nullopt;
    }
    Shape result(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(*axis));
    result.insert(result.end(), inputs[1]->shape.begin(), inputs[1]->shape.end());
    result.insert(result.end(), from.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, from.end());
    return result;
}

Result as_numbers(const OnnxKnown* input) {
    return input != nullptr && (input->has_numbers() || elements_of(input->shape) == 0) ? Result(input->integers())
                                                                                        : std::nullopt;
}

Result expanded(const OnnxInputs& inputs) {
    const Result to = inputs.size() > 1 ? as_numbers(inputs[1]) : std::nullopt;
    return to ? broadcast(inputs[0]->shape, *to) : std::nullopt;
}

Result tiled(const OnnxInputs& inputs) {
    const Result times = inputs.size() > 1 ? as_numbers(inputs[1]) : std::nullopt;
    if (!times || times->size() != inputs[0]->shape.size()) {
        return std::nullopt;
    }
    Shape result = inputs[0]->shape;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if ((*times)[i] < 0 || (*times)[i] > kMostExtentOfShape) {
            return std::nullopt;
        }
        result[i] *= (*times)[i];
    }
    return result;
}

Result counted_range(const OnnxInputs& inputs) {
    if (inputs.size() != 3 || !std::all_of(inputs.begin(), inputs.end(), [](const OnnxKnown* input) {
            return input != nullptr && input->has_numbers();
        })) {
        return std::nullopt;
    }
    const double step = inputs[2]->numbers[0];
    const double count = step == 0 ? 0 : std::ceil((inputs[1]->numbers[0] - inputs[0]->numbers[0]) / step);
    return Shape{static_cast<std::int64_t>(std::clamp(count, 0.0, 1e9))};
}

Result reduced(const OnnxNode& node, const OnnxInputs& inputs) {
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

Result padded(const OnnxNode& node, const OnnxInputs& inputs) {
    Shape result = inputs[0]->shape;
    const bool has_input = inputs.size() > 1 && inputs[1] != nullptr;
    const Result pads = has_input ? as_numbers(inputs[1]) : Result(integers_of(node, "pads"));
    if (!pads || pads->size() != 2 * result.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] += (*pads)[i] + (*pads)[i + result.size()];
    }
    return result;
}

/// "ij,jk->ik": each letter is an extent.
Result summed(const OnnxNode& node, const OnnxInputs& inputs) {
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
    for (const char letter : text.substr(arrow + 2)) {
        result.push_back(extents[letter]);
    }
    return result;
}

/// All results at once: those of nodes that have several.
std::vector<Result> several(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& from = inputs[0]->shape;
    std::vector<Result> results(node.outputs.size());
    if (node.type == "Split") {
        const auto axis = axis_in(integer_of(node, "axis", 0), from.size());
        const bool has_input = inputs.size() > 1 && inputs[1] != nullptr;
        const Result sizes = has_input ? as_numbers(inputs[1]) : Result(integers_of(node, "split"));
        const auto count = static_cast<std::int64_t>(results.size());
        for (std::size_t i = 0; axis && sizes && i < results.size(); ++i) {
            results[i] = from;
            const std::int64_t even = (from[*axis] + count - 1) / count;
            const std::int64_t left = from[*axis] - static_cast<std::int64_t>(i) * even;
            (*results[i])[*axis] = i < sizes->size() ? (*sizes)[i] : std::clamp(left, std::int64_t{0}, even);
        }
        return results;
    }
    // Recurrent layers: all states, the last of them, and of an LSTM the last cells.
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

/// Operators whose result has the shape of their first input.
constexpr std::array<std::string_view, 47> kAsFirst{"Relu",
                                                    "LeakyRelu",
                                                    "Sigmoid",
                                                    "Tanh",
                                                    "Erf",
                                                    "Sqrt",
                                                    "Exp",
                                                    "Log",
                                                    "Neg",
                                                    "Abs",
                                                    "Floor",
                                                    "Ceil",
                                                    "Round",
                                                    "Not",
                                                    "Reciprocal",
                                                    "Identity",
                                                    "Cast",
                                                    "Dropout",
                                                    "Softmax",
                                                    "LogSoftmax",
                                                    "Clip",
                                                    "Elu",
                                                    "Selu",
                                                    "HardSigmoid",
                                                    "HardSwish",
                                                    "Softplus",
                                                    "Softsign",
                                                    "Gelu",
                                                    "Mish",
                                                    "Sin",
                                                    "Cos",
                                                    "Trilu",
                                                    "CumSum",
                                                    "LRN",
                                                    "InstanceNormalization",
                                                    "ScatterND",
                                                    "CastLike",
                                                    "Celu",
                                                    "Sign",
                                                    "IsNaN",
                                                    "IsInf",
                                                    "BatchNormalization",
                                                    "LayerNormalization",
                                                    "GroupNormalization",
                                                    "SimplifiedLayerNormalization",
                                                    "RMSNormalization",
                                                    "FastGelu"};

constexpr std::array<std::string_view, 17> kBroadcast{
    "Add",     "Sub", "Mul", "Div",   "Pow", "Equal", "Less", "LessOrEqual", "GreaterOrEqual",
    "Greater", "And", "Or",  "Where", "Min", "Max",   "Mod",  "PRelu"};

Result single(const OnnxNode& node, const OnnxInputs& inputs) {
    const std::string& type = node.type;
    if (std::find(kBroadcast.begin(), kBroadcast.end(), type) != kBroadcast.end()) {
        return broadcast_all(inputs);
    }
    if (type == "Range") {
        return counted_range(inputs);
    }
    if (type == "ConstantOfShape") {
        return as_numbers(inputs[0]);
    }
    const Shape& x = inputs[0]->shape;
    const Shape second = inputs.size() > 1 && inputs[1] != nullptr ? inputs[1]->shape : Shape();
    if (std::find(kAsFirst.begin(), kAsFirst.end(), type) != kAsFirst.end()) {
        return x;
    }
    if (type == "MatMul") {
        return product(x, second);
    }
    if (type == "Gemm") {
        return gemm(node, x, second);
    }
    if (type == "Conv") {
        return windows(node, x, second);
    }
    if (type == "ConvTranspose") {
        return transposed_windows(node, x, second);
    }
    if (type == "MaxPool" || type == "AveragePool") {
        return windows(node, x, {});
    }
    if (type == "GlobalAveragePool" || type == "GlobalMaxPool") {
        return global(x);
    }
    if (type == "Reshape") {
        return reshaped(node, inputs);
    }
    if (type == "Flatten") {
        return flattened(node, x);
    }
    if (type == "Transpose") {
        return permuted(node, x);
    }
    if (type == "Squeeze") {
        return squeezed(node, inputs);
    }
    if (type == "Unsqueeze") {
        return unsqueezed(node, inputs);
    }
    if (type == "Concat") {
        return joined_shape(node, inputs);
    }
    if (type == "Slice") {
        return sliced_shape(node, inputs);
    }
    if (type == "Gather") {
        return gathered(node, inputs);
    }
    if (type == "Shape") {
        return Shape{static_cast<std::int64_t>(x.size())};
    }
    if (type == "Size") {
        return Shape{};
    }
    if (type == "Expand") {
        return expanded(inputs);
    }
    if (type == "Tile") {
        return tiled(inputs);
    }
    if (type == "Einsum") {
        return summed(node, inputs);
    }
    if (type == "Pad") {
        return padded(node, inputs);
    }
    if (type.starts_with("Reduce") || type == "ArgMax" || type == "ArgMin") {
        return reduced(node, inputs);
    }
    return std::nullopt;
}

bool is_sane(const Shape& shape) {
    double elements = 1;
    for (const std::int64_t extent : shape) {
        elements *= static_cast<double>(std::max<std::int64_t>(extent, 1));
        if (extent < 0 || extent > kMostExtentOfShape) {
            return false;
        }
    }
    return shape.size() <= kMostAxesOfShape && elements <= static_cast<double>(kMostElements);
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
    return std::clamp(integers_of(node, name, {usual}).front(), -kMostExtentOfShape, kMostExtentOfShape);
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

std::optional<OnnxWindow> window_of(const OnnxNode& node, const Shape& image, const Shape& weight) {
    if (image.size() < 3 || (!weight.empty() && weight.size() != image.size())) {
        return std::nullopt;
    }
    const std::size_t count = image.size() - 2;
    const Shape usual = weight.empty() ? Shape() : Shape(weight.begin() + 2, weight.end());
    OnnxWindow window{.kernel = integers_of(node, "kernel_shape", usual),
                      .stride = integers_of(node, "strides", Shape(count, 1)),
                      .pad = integers_of(node, "pads", Shape(2 * count, 0)),
                      .dilation = integers_of(node, "dilations", Shape(count, 1))};
    const auto has_each = [&](const Shape& numbers, std::size_t size, std::int64_t least) {
        return numbers.size() == size && std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t number) {
                   return number >= least && number <= kMostExtentOfShape;
               });
    };
    if (!has_each(window.kernel, count, 1) || !has_each(window.stride, count, 1) ||
        !has_each(window.pad, 2 * count, 0) || !has_each(window.dilation, count, 1)) {
        return std::nullopt;
    }
    const auto automatic = node.attributes.find("auto_pad");
    if (automatic != node.attributes.end() && automatic->second.text.starts_with("SAME")) {
        for (std::size_t i = 0; i < count; ++i) {  // as many positions as the stride leaves of the image
            const std::int64_t positions = (image[i + 2] + window.stride[i] - 1) / window.stride[i];
            const std::int64_t span = (window.kernel[i] - 1) * window.dilation[i] + 1;
            const std::int64_t all =
                std::max<std::int64_t>(0, (positions - 1) * window.stride[i] + span - image[i + 2]);
            window.pad[i] = all / 2;
            window.pad[i + count] = all - all / 2;
        }
    }
    return window;
}

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
    const bool has_several = node.type == "Split" || node.type == "LSTM" || node.type == "GRU" || node.type == "RNN";
    std::vector<Result> shapes = has_several ? several(node, inputs) : std::vector<Result>{single(node, inputs)};
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
            result.weights = std::min(result.weights + (has_weights ? input->weights : 0), kMostWeights);
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
