#include "files/traced/onnx_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/ranges.hpp"

namespace dodona::files {

namespace {

constexpr std::int64_t kMaxComputed = 4'096;

using Pair = double (*)(double, double);
using Single = double (*)(double);

struct PairOperator {
    std::string_view type;
    Pair apply;
};

struct SingleOperator {
    std::string_view type;
    Single apply;
};

constexpr std::array kPairs{
    PairOperator{"Add", [](double a, double b) { return a + b; }},
    PairOperator{"Sub", [](double a, double b) { return a - b; }},
    PairOperator{"Mul", [](double a, double b) { return a * b; }},
    PairOperator{"Max", [](double a, double b) { return std::max(a, b); }},
    PairOperator{"Min", [](double a, double b) { return std::min(a, b); }},
    PairOperator{"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
    PairOperator{"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
    PairOperator{"LessOrEqual", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
    PairOperator{"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
    PairOperator{"GreaterOrEqual", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
    PairOperator{"And", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
    PairOperator{"Or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
    PairOperator{"Mod", [](double a, double b) { return b == 0 ? 0 : a - b * std::floor(a / b); }},
    PairOperator{"Pow", [](double a, double b) { return std::pow(a, b); }},
};

constexpr std::array kSingles{
    SingleOperator{"Neg", [](double a) { return -a; }},
    SingleOperator{"Floor", [](double a) { return std::floor(a); }},
    SingleOperator{"Ceil", [](double a) { return std::ceil(a); }},
    SingleOperator{"Sqrt", [](double a) { return std::sqrt(a); }},
    SingleOperator{"Not", [](double a) { return a == 0 ? 1.0 : 0.0; }},
    SingleOperator{"Abs", [](double a) { return std::abs(a); }},
};

/// Where an element of a result lies in an operand that is repeated along axes of extent 1.
std::size_t place(std::int64_t index, const Shape& result, const Shape& operand) {
    std::size_t at = 0;
    std::size_t step = 1;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::size_t axis = result.size() - 1 - i;
        const std::int64_t here = result[axis] == 0 ? 0 : index % result[axis];
        index = result[axis] == 0 ? 0 : index / result[axis];
        if (i < operand.size()) {
            const std::int64_t extent = operand[operand.size() - 1 - i];
            at += step * static_cast<std::size_t>(extent == 1 ? 0 : here);
            step *= static_cast<std::size_t>(extent);
        }
    }
    return at;
}

double element(const OnnxKnown& operand, std::int64_t index, const Shape& result) {
    return operand.numbers[std::min(place(index, result, operand.shape), operand.numbers.size() - 1)];
}

template <typename Apply>
std::vector<double> each(const Shape& shape, const Apply& apply) {
    std::vector<double> numbers;
    const std::int64_t count = elements_of(shape);
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(apply(i));
    }
    return numbers;
}

bool all_known(const OnnxInputs& inputs) {
    return all_of(inputs, [](const OnnxKnown* input) { return input == nullptr || input->has_numbers(); });
}

/// The elements of a list, or of any tensor along its first axis, that a Slice or Gather takes.
std::vector<double> rows(const OnnxKnown& from, const std::vector<double>& which) {
    const std::int64_t first = from.shape.empty() ? 1 : std::max<std::int64_t>(from.shape.front(), 1);
    const auto row = from.numbers.size() / static_cast<std::size_t>(first);
    std::vector<double> taken;
    for (const double number : which) {
        const double index = number < 0 ? number + static_cast<double>(first) : number;
        if (!(index >= 0 && index < static_cast<double>(first))) {
            return {};
        }
        const auto start = from.numbers.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(index) * row);
        taken.insert(taken.end(), start, start + static_cast<std::ptrdiff_t>(row));
    }
    return taken;
}

std::vector<double> sliced(const OnnxNode& node, const OnnxInputs& inputs, const Shape& shape) {
    const OnnxKnown& from = *inputs[0];
    const bool has_inputs = inputs.size() > 2 && inputs[1] != nullptr && inputs[2] != nullptr;
    const Shape starts = has_inputs ? inputs[1]->integers() : integers_of(node, "starts");
    const auto axes = axes_of(node, inputs, 3, from.shape.size());
    const Shape steps = inputs.size() > 4 && inputs[4] != nullptr ? inputs[4]->integers() : Shape{1};
    if (starts.size() != 1 || steps.size() != 1 || (axes && !axes->empty() && axes->front() != 0) || shape.empty()) {
        return {};
    }
    const std::int64_t extent = from.shape.front();
    const std::int64_t last = steps[0] < 0 ? extent - 1 : extent;
    const std::int64_t start = std::clamp(starts[0] < 0 ? starts[0] + extent : starts[0], std::int64_t{0}, last);
    std::vector<double> which;
    for (std::int64_t i = 0; i < shape.front(); ++i) {
        which.push_back(static_cast<double>(start + i * steps[0]));
    }
    return rows(from, which);
}

std::vector<double> filled(const OnnxNode& node, std::int64_t count) {
    const auto value = node.attributes.find("value");
    const bool is_given = value != node.attributes.end() && value->second.tensor != nullptr;
    const std::vector<double> one = is_given ? few_numbers(*value->second.tensor) : std::vector<double>{0};
    return std::vector<double>(static_cast<std::size_t>(count), one.empty() ? 0 : one.front());
}

std::vector<double> joined(const OnnxNode& node, const OnnxInputs& inputs) {
    std::vector<double> numbers;
    for (const OnnxKnown* input : inputs) {
        if (input == nullptr || input->shape.size() != 1) {
            return {};
        }
        numbers.insert(numbers.end(), input->numbers.begin(), input->numbers.end());
    }
    return integer_of(node, "axis", 0) == 0 || integer_of(node, "axis", 0) == -1 ? numbers : std::vector<double>();
}

/// Of whole numbers the quotient is whole.
std::vector<double> divided(const OnnxInputs& inputs, const Shape& shape) {
    const bool are_whole = inputs[0]->is_index && inputs[1]->is_index;
    return each(shape, [&](std::int64_t i) {
        const double over = element(*inputs[1], i, shape);
        const double result = over == 0 ? 0 : element(*inputs[0], i, shape) / over;
        return are_whole ? std::trunc(result) : result;
    });
}

std::vector<double> range(const OnnxInputs& inputs, std::int64_t count) {
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(inputs[0]->numbers[0] + static_cast<double>(i) * inputs[2]->numbers[0]);
    }
    return numbers;
}

double total(const OnnxNode& node, const std::vector<double>& numbers) {
    double result = node.type == "ReduceProd" ? 1 : node.type == "ReduceSum" ? 0 : numbers.front();
    for (const double number : numbers) {
        if (node.type == "ReduceProd") {
            result *= number;
        } else if (node.type == "ReduceSum") {
            result += number;
        } else {
            result = node.type == "ReduceMin" ? std::min(result, number) : std::max(result, number);
        }
    }
    return result;
}

}  // namespace

std::vector<double> computed_numbers(const OnnxNode& node, const OnnxInputs& inputs, const Shape& shape) {
    const std::int64_t count = elements_of(shape);
    if (count > kMaxComputed) {
        return {};
    }
    if (node.type == "Shape" && inputs.size() == 1 && inputs[0] != nullptr && inputs[0]->has_shape) {
        std::vector<double> all(inputs[0]->shape.begin(), inputs[0]->shape.end());
        const auto rank = static_cast<std::int64_t>(all.size());
        const auto end = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
        const std::int64_t first = end(integer_of(node, "start", 0));
        const std::int64_t last = std::max(first, end(integer_of(node, "end", rank)));
        return {all.begin() + first, all.begin() + last};
    }
    if (node.type == "Size" && inputs.size() == 1 && inputs[0] != nullptr && inputs[0]->has_shape) {
        return {static_cast<double>(elements_of(inputs[0]->shape))};
    }
    if (!all_known(inputs) || inputs.empty() || inputs[0] == nullptr) {
        return {};
    }
    const std::vector<double>& first = inputs[0]->numbers;
    for (const PairOperator& pair : kPairs) {
        if (pair.type == node.type && inputs.size() == 2 && inputs[1] != nullptr) {
            return each(shape, [&](std::int64_t i) {
                return pair.apply(element(*inputs[0], i, shape), element(*inputs[1], i, shape));
            });
        }
    }
    for (const SingleOperator& single : kSingles) {
        if (single.type == node.type) {
            return each(shape, [&](std::int64_t i) { return single.apply(element(*inputs[0], i, shape)); });
        }
    }
    if (node.type == "Identity" || node.type == "Squeeze" || node.type == "Unsqueeze" || node.type == "Reshape" ||
        node.type == "Flatten") {
        return first;
    }
    if (node.type == "Cast") {
        const auto to = static_cast<std::uint64_t>(integer_of(node, "to", 1));
        return each(shape, [&](std::int64_t i) {
            const double number = element(*inputs[0], i, shape);
            return is_whole(to) ? std::trunc(number) : number;
        });
    }
    if (node.type == "Expand") {
        return each(shape, [&](std::int64_t i) { return element(*inputs[0], i, shape); });
    }
    if (node.type == "Where" && inputs.size() == 3 && inputs[1] != nullptr && inputs[2] != nullptr) {
        return each(shape, [&](std::int64_t i) {
            return element(element(*inputs[0], i, shape) != 0 ? *inputs[1] : *inputs[2], i, shape);
        });
    }
    if (node.type == "Div" && inputs.size() == 2 && inputs[1] != nullptr) {
        return divided(inputs, shape);
    }
    if (node.type == "Gather" && inputs.size() == 2 && inputs[1] != nullptr && integer_of(node, "axis", 0) == 0) {
        return rows(*inputs[0], inputs[1]->numbers);
    }
    if (node.type == "Slice") {
        return sliced(node, inputs, shape);
    }
    if (node.type == "Concat") {
        return joined(node, inputs);
    }
    if (node.type == "ConstantOfShape") {
        return filled(node, count);
    }
    if (node.type == "Range" && inputs.size() == 3 && inputs[2] != nullptr) {
        return range(inputs, count);
    }
    if (node.type.starts_with("Reduce") && node.type != "ReduceMean" && count == 1) {
        return {total(node, first)};
    }
    return {};
}

}  // namespace dodona::files
