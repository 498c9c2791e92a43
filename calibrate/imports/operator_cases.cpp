#include "calibrate/imports/operator_cases.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "calibrate/imports/attention_case.hpp"
#include "calibrate/imports/operator_arguments.hpp"

namespace dodona::calibrate {

namespace {

/// Whether the last two dimensions are stored column by column; a dimension of one is either.
bool transposed(const Extents& shape, const Extents& strides) {
    const std::size_t rows = shape.size() - 2;
    return strides[rows + 1] != 1 && shape[rows + 1] > 1 && strides[rows] == 1;
}

OperatorCase product(const KinetoOperator& called, std::size_t first, std::string_view kernel) {
    const auto left = extents_of(called.shapes, first);
    const auto right = extents_of(called.shapes, first + 1);
    if (!left || !right) {
        return {.of = {}, .why = std::string(kNoShapes)};
    }
    const std::size_t dimensions = called.name.find("bmm") != std::string::npos ? 3 : 2;
    if (left->size() != dimensions || right->size() != dimensions || left->back() != (*right)[dimensions - 2] ||
        (dimensions == 3 && left->front() != right->front()) ||
        std::count(left->begin(), left->end(), 0) + std::count(right->begin(), right->end(), 0) > 0) {
        return {.of = {}, .why = std::string(kOddShapes)};
    }
    const auto precision = precision_of(called.types, first, kernel);
    if (!precision) {
        return {.of = {}, .why = std::string(kOddTypes)};
    }
    OperatorCase read;
    std::string direction = "forward";
    const auto left_strides = extents_of(called.strides, first);
    const auto right_strides = extents_of(called.strides, first + 1);
    if (left_strides && right_strides && left_strides->size() == dimensions && right_strides->size() == dimensions) {
        const bool left_turned = transposed(*left, *left_strides);
        const bool right_turned = transposed(*right, *right_strides);
        direction = right_turned ? "forward" : left_turned ? "backward-weight" : "backward-input";
    } else {
        read.assumed = "products without strides are taken for forward";
    }
    read.of = Case{.benchmark = "matmul",
                   .parameters = {{"m", static_cast<double>((*left)[dimensions - 2])},
                                  {"n", static_cast<double>(right->back())},
                                  {"k", static_cast<double>(left->back())},
                                  {"batch", dimensions == 3 ? static_cast<double>(left->front()) : 1.0},
                                  {"precision", *precision},
                                  {"direction", direction}}};
    return read;
}

/// Where a convolution's arguments stand (pytorch: aten/src/ATen/native/native_functions.yaml).
struct ConvolutionArguments {
    std::string_view name;
    std::size_t input, weight, stride, padding, dilation, groups;
};

constexpr std::array kConvolutions{
    ConvolutionArguments{"aten::cudnn_convolution", 0, 1, 3, 2, 4, 5},
    ConvolutionArguments{"aten::cudnn_convolution_relu", 0, 1, 3, 4, 5, 6},
    ConvolutionArguments{"aten::miopen_convolution", 0, 1, 4, 3, 5, 6},
    ConvolutionArguments{"aten::convolution", 0, 1, 3, 4, 5, 8},
    ConvolutionArguments{"aten::_convolution", 0, 1, 3, 4, 5, 8},
    ConvolutionArguments{"aten::conv2d", 0, 1, 3, 4, 5, 6},
    ConvolutionArguments{"aten::convolution_backward", 1, 2, 4, 5, 6, 9},
};

/// Whether a window of that stride, padding and dilation fits into an input.
bool fits(const Extents& input, const Extents& weight, const std::array<std::optional<Extents>, 3>& lists) {
    constexpr std::int64_t kMax = 1 << 20;
    for (std::size_t i = 2; i < input.size(); ++i) {
        const std::int64_t stride = (*lists[0])[i - 2];
        const std::int64_t padding = (*lists[1])[i - 2];
        const std::int64_t dilation = (*lists[2])[i - 2];
        if (stride < 1 || dilation < 1 || padding < 0 || stride > kMax || dilation > kMax || padding > kMax ||
            weight[i] < 1 || weight[i] > kMax || dilation * (weight[i] - 1) + 1 > input[i] + 2 * padding) {
            return false;
        }
    }
    return input[0] >= 1 && input[1] >= 1 && weight[0] >= 1;
}

std::string crossed(const Extents& extents) {
    std::string text;
    for (const std::int64_t extent : extents) {
        text += fmt::format("{}{}", text.empty() ? "" : "x", extent);
    }
    return text;
}

OperatorCase convolution(const KinetoOperator& called, const ConvolutionArguments& where, std::string_view kernel) {
    const auto input = extents_of(called.shapes, where.input);
    const auto weight = extents_of(called.shapes, where.weight);
    if (!input || !weight) {
        return {.of = {}, .why = std::string(kNoShapes)};
    }
    const auto groups = list_of(called.values, where.groups);
    std::array lists{list_of(called.values, where.stride), list_of(called.values, where.padding),
                     list_of(called.values, where.dilation)};
    if (!groups || !lists[0] || !lists[1] || !lists[2]) {
        return {.of = {}, .why = "convolutions without their strides and paddings (\"Concrete Inputs\")"};
    }
    const std::size_t dimensions = input->size();
    if (dimensions < 3 || weight->size() != dimensions || groups->front() < 1 ||
        (*input)[1] != (*weight)[1] * groups->front()) {
        return {.of = {}, .why = std::string(kOddShapes)};
    }
    for (auto& list : lists) {
        list->resize(dimensions - 2, list->front());  // one number stands for all dimensions
    }
    if (!fits(*input, *weight, lists) || weight->front() % groups->front() != 0) {
        return {.of = {}, .why = std::string(kOddShapes)};
    }
    const auto precision = precision_of(called.types, where.input, kernel);
    if (!precision) {
        return {.of = {}, .why = std::string(kOddTypes)};
    }
    const bool backward = called.name == "aten::convolution_backward";
    const std::string_view direction = backward ? convolution_direction(kernel) : "forward";
    if (direction.empty()) {
        return {.of = {}, .why = "backward convolutions whose kernels do not say of which operand they are"};
    }
    OperatorCase read;
    const auto strides = extents_of(called.strides, where.input);
    if (!strides || strides->size() != dimensions) {
        read.assumed = "convolutions without strides are taken for nchw";
    }
    const bool last = strides && strides->size() == dimensions && (*input)[1] > 1 && (*strides)[1] == 1;
    read.of = Case{.benchmark = "convolution",
                   .parameters = {{"images", static_cast<double>(input->front())},
                                  {"channels", static_cast<double>((*input)[1])},
                                  {"filters", static_cast<double>(weight->front())},
                                  {"groups", static_cast<double>(groups->front())},
                                  {"input", crossed(Extents(input->begin() + 2, input->end()))},
                                  {"window", crossed(Extents(weight->begin() + 2, weight->end()))},
                                  {"stride", crossed(*lists[0])},
                                  {"pad", crossed(*lists[1])},
                                  {"dilation", crossed(*lists[2])},
                                  {"precision", *precision},
                                  {"direction", std::string(direction)},
                                  {"layout", last ? "nhwc" : "nchw"}}};
    return read;
}

}  // namespace

std::string_view convolution_direction(std::string_view kernel) {
    const auto has = [&](std::string_view part) { return kernel.find(part) != std::string_view::npos; };
    if (has("wgrad") || has("BwdWeight") || has("bwd_weight")) {
        return "backward-weight";
    }
    return has("dgrad") || has("BwdData") || has("bwd_data") ? "backward-input" : "";
}

OperatorCase case_of(const KinetoOperator& called, std::string_view kernel) {
    const auto found = std::find_if(kConvolutions.begin(), kConvolutions.end(),
                                    [&](const ConvolutionArguments& where) { return where.name == called.name; });
    if (found != kConvolutions.end()) {
        return convolution(called, *found, kernel);
    }
    if (is_attention(called.name)) {
        return attention_case(called, kernel);
    }
    const bool adds = called.name == "aten::addmm" || called.name == "aten::baddbmm";
    return product(called, adds ? 1 : 0, kernel);
}

}  // namespace dodona::calibrate
