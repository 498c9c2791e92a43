#include "files/traced/onnx_shape_rules.hpp"

#include <algorithm>

namespace dodona::files {

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
                   return number >= least && number <= kMaxExtentOfShape;
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

namespace {

std::optional<Shape> over_windows(const OnnxNode& node, const Shape& image, const Shape& weight) {
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

}  // namespace

std::optional<Shape> convolved(const OnnxNode& node, const OnnxInputs& inputs) {
    return over_windows(node, inputs[0]->shape, shape_at(inputs, 1));
}

std::optional<Shape> pooled(const OnnxNode& node, const OnnxInputs& inputs) {
    return over_windows(node, inputs[0]->shape, {});
}

std::optional<Shape> transposed_convolved(const OnnxNode& node, const OnnxInputs& inputs) {
    const Shape& image = inputs[0]->shape;
    const Shape weight = shape_at(inputs, 1);
    const auto window = window_of(node, image, weight);
    if (!window || weight.size() < 3) {
        return std::nullopt;
    }
    const std::size_t count = image.size() - 2;
    const Shape extra = integers_of(node, "output_padding", Shape(count, 0));
    Shape result{image[0], weight[1] * integer_of(node, "group", 1)};
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back((image[i + 2] - 1) * window->stride[i] + (window->kernel[i] - 1) * window->dilation[i] + 1 +
                         (i < extra.size() ? std::clamp(extra[i], std::int64_t{0}, kMaxExtentOfShape) : 0) -
                         window->pad[i] - window->pad[i + count]);
    }
    return result;
}

std::optional<Shape> pooled_whole(const OnnxNode& /*node*/, const OnnxInputs& inputs) {
    Shape result = inputs[0]->shape;
    for (std::size_t i = 2; i < result.size(); ++i) {
        result[i] = 1;
    }
    return result;
}

}  // namespace dodona::files
