// Layers of images: convolutions, pooling, norms of channels.
#include <algorithm>

#include <fmt/format.h>

#include "files/traced/layering.hpp"

namespace dodona::files {

namespace {

std::string list_of(const Shape& numbers) {
    if (std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) == numbers.end()) {
        return std::to_string(numbers.empty() ? 1 : numbers.front());
    }
    std::vector<std::string> words;
    for (const std::int64_t number : numbers) {
        words.push_back(std::to_string(number));
    }
    return "[" + join(words) + "]";
}

}  // namespace

// Convolutions and pooling.

Shape Layering::numbers(const std::string& key) const {
    const auto found = node_->numbers.find(key);
    return found == node_->numbers.end() ? Shape() : found->second;
}

Shape Layering::padding(const Shape& from, const Shape& to, bool is_transposed) const {
    const Shape both = numbers("pad");
    const Shape kernel = numbers("kernel");
    const Shape stride = numbers("stride");
    const Shape dilation = numbers("dilation");
    const std::size_t count = kernel.size();
    Shape result;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t all = both[i] + both[i + count];
        if (all % 2 == 0 || is_transposed) {
            result.push_back(all / 2);
            continue;
        }
        const std::int64_t span = (kernel[i] - 1) * (dilation.empty() ? 1 : dilation[i]) + 1;
        const auto positions = [&](std::int64_t pad) { return (from[i + 2] + 2 * pad - span) / stride[i] + 1; };
        const std::int64_t more = (all + 1) / 2;
        const bool ceil = node_->number("ceil", 0) != 0;
        if (!ceil && positions(more) != to[i + 2] && positions(all / 2) != to[i + 2]) {
            refuse_node(fmt::format("padding of {} and {} on its sides is not modelled", both[i], both[i + count]));
        }
        result.push_back(positions(more) == to[i + 2] ? more : all / 2);
    }
    return result;
}

void Layering::add_conv() {
    const Shape& weight = graph_.shape(node_->inputs.at(1));
    const bool is_transposed = node_->op == TracedOp::conv_transpose;
    const std::int64_t groups = node_->number("groups", 1);
    const std::int64_t filters = is_transposed ? weight[1] * groups : weight[0];
    const bool has_bias = node_->inputs.size() > 2 && node_->inputs[2] != kNoTensor;
    if (is_pixelwise(weight) && !is_image(view(0))) {
        add_pixelwise(filters, has_bias);
        return;
    }
    const TensorView x = image(0);
    const Shape& from = graph_.shape(node_->inputs[0]);
    const Shape& to = graph_.shape(node_->outputs[0]);
    const Shape pad = padding(from, to, is_transposed);
    EntryAttributes attributes{{"filters", std::to_string(filters)}, {"kernel", list_of(numbers("kernel"))}};
    add_unless(attributes, "stride", list_of(numbers("stride")), "1");
    add_unless(attributes, "pad", list_of(pad), "0");
    add_unless(attributes, is_transposed ? "output_pad" : "dilation",
               list_of(numbers(is_transposed ? "output_pad" : "dilation")), is_transposed ? "0" : "1");
    add_unless(attributes, "groups", std::to_string(groups), "1");
    add_unless(attributes, "bias", has_bias ? "true" : "false", "true");
    std::vector<TracedDimension> result = dimensions(x);
    result[0].extent = filters;
    for (std::size_t i = 1; i < result.size(); ++i) {
        result[i].extent = to[i + 1];
    }
    count_weights(1);
    const std::size_t layer = add_layer(is_transposed ? "conv_transpose" : "conv", {x.layer}, result, attributes);
    set(0, whole_view(layer, extents(layer)));
}

void Layering::add_unless(EntryAttributes& attributes, const std::string& key, const std::string& value,
                          const std::string& usual) {
    if (value != usual) {
        attributes.emplace_back(key, value);
    }
}

bool Layering::is_pixelwise(const Shape& weight) const {
    const Shape& to = graph_.shape(node_->outputs[0]);
    return node_->op == TracedOp::conv && node_->number("groups", 1) == 1 &&
           std::all_of(weight.begin() + 2, weight.end(), [](std::int64_t extent) { return extent == 1; }) &&
           std::all_of(to.begin() + 2, to.end(), [](std::int64_t extent) { return extent == 1; });
}

void Layering::add_pixelwise(std::int64_t filters, bool has_bias) {
    TensorView x = made_whole(view(0));
    const std::size_t positions = x.axes.size() - 2;
    x.axes.resize(2);
    x = rows(x);
    count_weights(1);
    x = product(x, filters, has_bias);
    x.axes.resize(2 + positions);
    set(0, x);
}

void Layering::add_pool() {
    const TensorView x = image(0);
    const Shape& from = graph_.shape(node_->inputs[0]);
    const Shape& to = graph_.shape(node_->outputs[0]);
    EntryAttributes attributes{{"kernel", list_of(numbers("kernel"))}};
    add_unless(attributes, "stride", list_of(numbers("stride")), list_of(numbers("kernel")));
    add_unless(attributes, "pad", list_of(padding(from, to, false)), "0");
    add_unless(attributes, "ceil", node_->number("ceil", 0) != 0 ? "true" : "false", "false");
    std::vector<TracedDimension> result = dimensions(x);
    for (std::size_t i = 1; i < result.size(); ++i) {
        result[i].extent = to[i + 1];
    }
    const std::size_t layer =
        add_layer(node_->op == TracedOp::max_pool ? "max_pool" : "average_pool", {x.layer}, result, attributes);
    set(0, whole_view(layer, extents(layer)));
}

void Layering::add_global_pool() {
    const Shape& from = graph_.shape(node_->inputs[0]);
    Shape axes = numbers("axes");
    for (std::int64_t& axis : axes) {
        axis += axis < 0 ? static_cast<std::int64_t>(from.size()) : 0;
    }
    std::sort(axes.begin(), axes.end());
    const bool is_spatial =
        node_->op == TracedOp::global_pool || (axes.size() + 2 == from.size() && !axes.empty() && axes.front() == 2);
    if (!is_spatial || !is_image(view(0))) {
        refuse_node("a mean over something else than the positions of an image is no layer of dodona");
    }
    const TensorView x = image(0);
    const std::int64_t channels = dimensions(x).front().extent;
    const std::size_t layer = add_layer("global_pool", {x.layer}, {{"feature", channels}});
    TensorView pooled = whole_view(layer, extents(layer));
    pooled.axes.resize(graph_.shape(node_->outputs[0]).size());
    set(0, pooled);
}

void Layering::add_image_norm() {
    const TensorView x = image(0);
    const bool has_scale = node_->inputs.size() > 1 && node_->inputs[1] != kNoTensor;
    EntryAttributes attributes;
    std::string op = "batch_norm";
    if (node_->op == TracedOp::group_norm) {
        op = "group_norm";
        attributes.emplace_back("groups", std::to_string(node_->number("groups", 1)));
        add_unless(attributes, "affine", has_scale ? "true" : "false", "true");
    } else if (node_->op == TracedOp::instance_norm) {
        op = "instance_norm";
        add_unless(attributes, "affine", has_scale ? "true" : "false", "false");
    } else if (node_->op == TracedOp::local_response_norm) {
        op = "local_response_norm";
        attributes.emplace_back("size", std::to_string(node_->number("size", 1)));
    }
    for (std::size_t i = 1; i < node_->inputs.size() && i < 3; ++i) {  // scale and bias; the rest are statistics
        result_.parameters += node_->inputs[i] == kNoTensor ? 0 : graph_.tensors[node_->inputs[i]].weights;
    }
    set(0, moved(x, add_layer(op, {x.layer}, dimensions(x), attributes)));
}

}  // namespace dodona::files
