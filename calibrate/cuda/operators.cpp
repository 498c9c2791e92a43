#include "calibrate/cuda/operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"

namespace dodona::calibrate::cuda {

namespace {

struct Rows {
    std::string name;
    Element element;
    std::string direction;
    Count rows, columns;
    Tensor x, dy, y;      ///< y: the result, of whatever direction
    Tensor scale, shift;  ///< fp32 of each column
    Tensor mean, rstd;    ///< fp32 of each row
    Tensor dscale, dshift;
};

/// Has weights, whose gradient belongs to the backward pass.
bool is_norm(const std::string& name) { return name == "layer-norm" || name == "rms-norm"; }

struct HostActivation {
    const char* name;
    Activation kind;
    double (*value)(double x);
    double (*slope)(double x);
};

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double normal_below(double x) { return 0.5 * (1.0 + std::erf(x / std::sqrt(2.0))); }

constexpr std::array kActivations{
    HostActivation{"relu", Activation::relu, [](double x) { return std::max(x, 0.0); },
                   [](double x) { return x > 0 ? 1.0 : 0.0; }},
    HostActivation{"gelu", Activation::gelu, [](double x) { return x * normal_below(x); },
                   [](double x) { return normal_below(x) + x * std::exp(-0.5 * x * x) / std::sqrt(2.0 * M_PI); }},
    HostActivation{"silu", Activation::silu, [](double x) { return x * sigmoid(x); },
                   [](double x) { return sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))); }},
    HostActivation{"sigmoid", Activation::sigmoid, sigmoid, [](double x) { return sigmoid(x) * (1.0 - sigmoid(x)); }},
    HostActivation{"tanh", Activation::tanh, [](double x) { return std::tanh(x); },
                   [](double x) { return 1.0 - std::tanh(x) * std::tanh(x); }},
};

/// Null where it is no activation.
const HostActivation* activation_of(const std::string& name) {
    const auto* const found = std::find_if(kActivations.begin(), kActivations.end(),
                                           [&](const HostActivation& one) { return one.name == name; });
    return found == kActivations.end() ? nullptr : found;
}

/// What the host expects of a row of an activation or softmax; of a softmax backward, x is the forward pass's result.
std::vector<double> expected_row(const Rows& of, const float* x, const float* dy) {
    const auto columns = static_cast<std::size_t>(of.columns);
    const bool forward = of.direction == "forward";
    std::vector<double> out(columns);
    if (const HostActivation* const activation = activation_of(of.name)) {
        for (std::size_t c = 0; c < columns; ++c) {
            const double v = static_cast<double>(x[c]);
            out[c] = forward ? activation->value(v) : activation->slope(v) * static_cast<double>(dy[c]);
        }
        return out;
    }
    double most = -INFINITY, sum = 0, inner = 0;
    for (std::size_t c = 0; c < columns; ++c) {
        most = std::max(most, static_cast<double>(x[c]));
        inner += static_cast<double>(x[c]) * static_cast<double>(dy[c]);
    }
    for (std::size_t c = 0; c < columns; ++c) {
        sum += std::exp(static_cast<double>(x[c]) - most);
    }
    for (std::size_t c = 0; c < columns; ++c) {
        const double v = static_cast<double>(x[c]);
        out[c] = forward ? std::exp(v - most) / sum : v * (static_cast<double>(dy[c]) - inner);
    }
    return out;
}

/// What the host expects of a row of a norm.
std::vector<double> expected_norm(const Rows& of, const float* x, const float* dy, const std::vector<float>& scale,
                                  const std::vector<float>& shift) {
    const auto columns = static_cast<std::size_t>(of.columns);
    const bool centred = of.name == "layer-norm";
    const double n = static_cast<double>(of.columns);
    double mean = 0, squares = 0, g = 0, gx = 0;
    for (std::size_t c = 0; c < columns; ++c) {
        mean += centred ? static_cast<double>(x[c]) / n : 0.0;
    }
    for (std::size_t c = 0; c < columns; ++c) {
        squares += std::pow(static_cast<double>(x[c]) - mean, 2) / n;
    }
    const double rstd = 1.0 / std::sqrt(squares + static_cast<double>(kEpsilon));
    const auto normal = [&](std::size_t c) { return (static_cast<double>(x[c]) - mean) * rstd; };
    const auto scaled = [&](std::size_t c) { return static_cast<double>(dy[c]) * static_cast<double>(scale[c]); };
    for (std::size_t c = 0; c < columns; ++c) {
        g += centred ? scaled(c) / n : 0.0;
        gx += scaled(c) * normal(c) / n;
    }
    std::vector<double> out(columns);
    for (std::size_t c = 0; c < columns; ++c) {
        const double offset = centred ? static_cast<double>(shift[c]) : 0.0;
        out[c] = of.direction == "forward" ? normal(c) * static_cast<double>(scale[c]) + offset
                                           : rstd * (scaled(c) - g - normal(c) * gx);
    }
    return out;
}

/// The gradient of a norm's scales: the sum over rows of dy by the normalised x.
double scales_error(const BenchmarkContext& context, const Rows& of, const std::vector<float>& x,
                    const std::vector<float>& dy) {
    const auto mean = numbers_of(context, of.mean);
    const auto rstd = numbers_of(context, of.rstd);
    std::vector<double> expected(static_cast<std::size_t>(of.columns));
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t row = i / expected.size();
        expected[i % expected.size()] += static_cast<double>(dy[i]) *
                                         (static_cast<double>(x[i]) - static_cast<double>(mean[row])) *
                                         static_cast<double>(rstd[row]);
    }
    return deviation(numbers_of(context, of.dscale), expected);
}

double rows_error(const BenchmarkContext& context, const Rows& of) {
    const auto x = numbers_of(context, of.x);
    const auto dy = numbers_of(context, of.dy);
    const auto scale = numbers_of(context, of.scale);
    const auto shift = numbers_of(context, of.shift);
    std::vector<double> expected;
    for (Count r = 0; r < of.rows; ++r) {
        const float* const values = x.data() + r * of.columns;
        const float* const gradients = dy.data() + r * of.columns;
        const auto row =
            is_norm(of.name) ? expected_norm(of, values, gradients, scale, shift) : expected_row(of, values, gradients);
        expected.insert(expected.end(), row.begin(), row.end());
    }
    const double of_result = deviation(numbers_of(context, of.y), expected);
    return is_norm(of.name) && of.direction != "forward" ? std::max(of_result, scales_error(context, of, x, dy))
                                                         : of_result;
}

void run_norm(const Rows& of, RowNorm kind, cudaStream_t stream) {
    if (of.direction == "forward") {
        row_norm(kind, of.element, of.x.get(), of.scale.as<float>(), of.shift.as<float>(), of.y.get(),
                 of.mean.as<float>(), of.rstd.as<float>(), of.rows, of.columns, stream);
    } else {
        row_norm_backward_input(kind, of.element, of.x.get(), of.dy.get(), of.scale.as<float>(), of.mean.as<float>(),
                                of.rstd.as<float>(), of.y.get(), of.rows, of.columns, stream);
        row_norm_backward_weight(kind, of.element, of.x.get(), of.dy.get(), of.mean.as<float>(), of.rstd.as<float>(),
                                 of.dscale.as<float>(), of.dshift.as<float>(), of.rows, of.columns, stream);
    }
}

void run_rows(const Rows& of, cudaStream_t stream) {
    const bool forward = of.direction == "forward";
    if (const HostActivation* const activation = activation_of(of.name)) {
        if (forward) {
            activate(activation->kind, of.element, of.x.get(), of.y.get(), of.x.elements, stream);
        } else {
            activate_backward(activation->kind, of.element, of.x.get(), of.dy.get(), of.y.get(), of.x.elements, stream);
        }
    } else if (of.name == "softmax") {
        if (forward) {
            softmax(of.element, of.x.get(), of.y.get(), of.rows, of.columns, stream);
        } else {
            softmax_backward(of.element, of.x.get(), of.dy.get(), of.y.get(), of.rows, of.columns, stream);
        }
    } else {
        run_norm(of, of.name == "rms-norm" ? RowNorm::rms : RowNorm::layer, stream);
    }
}

Rows rows_of(const Case& asked, const BenchmarkContext& context, Element element) {
    Rows of;
    of.name = asked.word("operator");
    of.element = element;
    of.direction = asked.word("direction", "forward");
    if (asked.has("channels")) {  // of images, element by element
        of.rows = (asked.has("images") ? positive(asked, "images") : 1) * positive(asked, "channels");
        of.columns = 1;
        for (const auto extent : extents(asked.word("input", "1"))) {
            of.columns *= extent;
        }
    } else {
        of.rows = asked.has("rows") ? positive(asked, "rows") : 1;
        of.columns = positive(asked, "columns");
    }
    const Count elements = of.rows * of.columns;
    const bool backward = of.direction != "forward";
    of.x = normal_tensor(context, element, elements, "the operand");
    of.dy = backward ? normal_tensor(context, element, elements, "the gradient") : of.x;
    of.y = zero_tensor(context, element, elements, "the result");
    of.scale = normal_tensor(context, Element::fp32, of.columns, "the scales");
    of.shift = normal_tensor(context, Element::fp32, of.columns, "the shifts");
    of.mean = zero_tensor(context, Element::fp32, of.rows, "the means");
    of.rstd = zero_tensor(context, Element::fp32, of.rows, "the deviations");
    of.dscale = zero_tensor(context, Element::fp32, of.columns, "the gradient of the scales");
    of.dshift = zero_tensor(context, Element::fp32, of.columns, "the gradient of the shifts");
    if (backward && is_norm(of.name)) {  // statistics of a forward pass
        Rows before = of;
        before.direction = "forward";
        run_rows(before, context.stream.get());
    }
    return of;
}

}  // namespace

Work prepare_operator(const Case& asked, BenchmarkContext& context) {
    const std::string name = asked.word("operator");
    const std::string direction = asked.word("direction", "forward");
    if (direction != "forward" && direction != "backward-input") {
        throw CannotMeasure("the backward pass of an operator is measured as a whole; ask for backward-input");
    }
    if (name == "batch-norm" || name == "max-pool" || name == "pool" || name == "average-pool") {
        return prepare_image_operator(asked, context);
    }
    if (activation_of(name) == nullptr && name != "softmax" && !is_norm(name)) {
        throw CannotMeasure(
            fmt::format("{} is no operator of this back end; known: relu, gelu, silu, sigmoid, tanh, softmax, "
                        "layer-norm, rms-norm, batch-norm, max-pool, average-pool",
                        name));
    }
    const Precision precision = precision_of(asked);
    const Element element = element_of_precision(precision, name);
    if (element == Element::fp8) {
        throw CannotMeasure(fmt::format("{} in fp8 is not measured: frameworks run it in 16 bits", name));
    }
    const Rows of = rows_of(asked, context, element);
    check(cudaGetLastError(), fmt::format("preparing {}", name));
    Work work;
    work.run = [of](cudaStream_t stream) { run_rows(of, stream); };
    work.tolerance = std::max(tolerance_of(precision), 5e-4);  // fast exponentials
    if (is_checked(asked, of.x.elements)) {
        work.error = [of, &context] { return rows_error(context, of); };
    }
    work.words["implementation"] = "own kernel";
    return work;
}

}  // namespace dodona::calibrate::cuda
