#include "files/traced/onnx_shape_rules.hpp"

#include <algorithm>

namespace dodona::files {

/// 0 keeps the extent of the input; one -1 takes what is left.
std::optional<Shape> reshaped(const OnnxNode& node, const OnnxInputs& inputs) {
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
        if (to[i] < -1 || (to[i] > 0 && known > kMaxElements / to[i])) {
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
    return elements_of(to) == all ? std::optional(to) : std::nullopt;
}

std::optional<Shape> flattened(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& from = inputs[0]->shape;
    const std::int64_t axis = integer_of(node, "axis", 1);
    const std::int64_t at = axis < 0 ? axis + static_cast<std::int64_t>(from.size()) : axis;
    if (at < 0 || at > static_cast<std::int64_t>(from.size())) {
        return std::nullopt;
    }
    const auto middle = from.begin() + at;
    return Shape{elements_of({from.begin(), middle}), elements_of({middle, from.end()})};
}

std::optional<Shape> permuted(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& from = inputs[0]->shape;
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

std::optional<Shape> squeezed(const OnnxNode& node, const OnnxInputs& inputs) {
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

std::optional<Shape> unsqueezed(const OnnxNode& node, const OnnxInputs& inputs) {
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

std::optional<Shape> joined_shape(const OnnxNode& node, const OnnxInputs& inputs) {
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

std::optional<Shape> sliced_shape(const OnnxNode& node, const OnnxInputs& inputs) {
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

std::optional<Shape> gathered(const OnnxNode& node, const OnnxInputs& inputs) {
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

std::optional<Shape> tiled(const OnnxNode& /*node*/, const OnnxInputs& inputs) {
    const std::optional<Shape> times = inputs.size() > 1 ? numbers_of(inputs[1]) : std::nullopt;
    if (!times || times->size() != inputs[0]->shape.size()) {
        return std::nullopt;
    }
    Shape result = inputs[0]->shape;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if ((*times)[i] < 0 || (*times)[i] > kMaxExtentOfShape) {
            return std::nullopt;
        }
        result[i] *= (*times)[i];
    }
    return result;
}

std::optional<Shape> padded(const OnnxNode& node, const OnnxInputs& inputs) {
    Shape result = inputs[0]->shape;
    const bool has_input = inputs.size() > 1 && inputs[1] != nullptr;
    const std::optional<Shape> pads = has_input ? numbers_of(inputs[1]) : std::optional(integers_of(node, "pads"));
    if (!pads || pads->size() != 2 * result.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] += (*pads)[i] + (*pads)[i + result.size()];
    }
    return result;
}

}  // namespace dodona::files
