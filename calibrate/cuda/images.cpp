// Operators of images: batch-norm, max-pool and average-pool, nchw.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"
#include "calibrate/cuda/operators.hpp"

namespace dodona::calibrate::cuda {

namespace {

struct Norm {
    Element element;
    bool forward;
    Images of;
    Tensor x, dy, y, scale, shift, mean, rstd, dscale, dshift, sums;
};

void run_forward(const Norm& n, cudaStream_t stream) {
    batch_norm(n.element, n.x.get(), n.scale.as<float>(), n.shift.as<float>(), n.y.get(), n.sums.as<float>(),
               n.mean.as<float>(), n.rstd.as<float>(), n.of, stream);
}

void run_norm(const Norm& n, cudaStream_t stream) {
    if (n.forward) {
        run_forward(n, stream);
        return;
    }
    batch_norm_backward(n.element, n.x.get(), n.dy.get(), n.scale.as<float>(), n.mean.as<float>(), n.rstd.as<float>(),
                        n.dscale.as<float>(), n.dshift.as<float>(), n.y.get(), n.of, stream);
}

double norm_error(const BenchmarkContext& context, const Norm& n) {
    const auto x = numbers_of(context, n.x);
    const auto dy = numbers_of(context, n.dy);
    const auto scale = numbers_of(context, n.scale);
    const auto shift = numbers_of(context, n.shift);
    const double count = static_cast<double>(n.of.images * n.of.spatial);
    std::vector<double> expected(x.size());
    for (Count channel = 0; channel < n.of.channels; ++channel) {
        std::vector<std::size_t> places;
        for (Count image = 0; image < n.of.images; ++image) {
            for (Count s = 0; s < n.of.spatial; ++s) {
                places.push_back(static_cast<std::size_t>((image * n.of.channels + channel) * n.of.spatial + s));
            }
        }
        double mean = 0, variance = 0, g = 0, gx = 0;
        for (const std::size_t at : places) {
            mean += static_cast<double>(x[at]) / count;
        }
        for (const std::size_t at : places) {
            variance += std::pow(static_cast<double>(x[at]) - mean, 2) / count;
        }
        const double rstd = 1.0 / std::sqrt(variance + static_cast<double>(kEpsilon));
        for (const std::size_t at : places) {
            g += static_cast<double>(dy[at]) / count;
            gx += static_cast<double>(dy[at]) * (static_cast<double>(x[at]) - mean) * rstd / count;
        }
        const double by = static_cast<double>(scale[static_cast<std::size_t>(channel)]);
        const double off = static_cast<double>(shift[static_cast<std::size_t>(channel)]);
        for (const std::size_t at : places) {
            const double normal = (static_cast<double>(x[at]) - mean) * rstd;
            expected[at] = n.forward ? normal * by + off : by * rstd * (static_cast<double>(dy[at]) - g - normal * gx);
        }
    }
    return deviation(numbers_of(context, n.y), expected);
}

Work prepare_batch_norm(const Case& asked, BenchmarkContext& context, Precision precision, Element element,
                        bool forward) {
    const auto input = extents(asked.word("input", "1"));
    Count spatial = 1;
    for (const auto extent : input) {
        spatial *= extent;
    }
    Norm n;
    n.element = element;
    n.forward = forward;
    n.of = {positive(asked, "images"), positive(asked, "channels"), spatial};
    const Count elements = n.of.images * n.of.channels * spatial;
    n.x = normal_tensor(context, element, elements, "the images");
    n.dy = forward ? n.x : normal_tensor(context, element, elements, "the gradient");
    n.y = zero_tensor(context, element, elements, "the result");
    n.scale = normal_tensor(context, Element::fp32, n.of.channels, "the scales");
    n.shift = normal_tensor(context, Element::fp32, n.of.channels, "the shifts");
    n.mean = zero_tensor(context, Element::fp32, n.of.channels, "the means");
    n.rstd = zero_tensor(context, Element::fp32, n.of.channels, "the deviations");
    n.dscale = zero_tensor(context, Element::fp32, n.of.channels, "the gradient of the scales");
    n.dshift = zero_tensor(context, Element::fp32, n.of.channels, "the gradient of the shifts");
    n.sums = zero_tensor(context, Element::fp32, 2 * n.of.channels, "the sums");
    run_forward(n, context.stream.get());
    Work work;
    work.run = [n](cudaStream_t stream) { run_norm(n, stream); };
    work.tolerance = std::max(tolerance_of(precision), 5e-4);
    if (is_checked(asked, elements)) {
        work.error = [n, &context] { return norm_error(context, n); };
    }
    return work;
}

/// Of each window the largest, or the sum over its whole area; nothing beside the image counts.
std::vector<double> pooled(const std::vector<float>& x, const Window& of, bool average) {
    std::vector<double> out;
    for (Count plane = 0; plane < of.planes; ++plane) {
        for (int row = 0; row < of.out_height; ++row) {
            for (int column = 0; column < of.out_width; ++column) {
                double most = -INFINITY;
                double sum = 0;
                for (int r = std::max(row * of.stride - of.pad, 0);
                     r < std::min(row * of.stride - of.pad + of.rows, of.height); ++r) {
                    for (int c = std::max(column * of.stride - of.pad, 0);
                         c < std::min(column * of.stride - of.pad + of.columns, of.width); ++c) {
                        const auto at = static_cast<std::size_t>((plane * of.height + r) * of.width + c);
                        most = std::max(most, static_cast<double>(x[at]));
                        sum += static_cast<double>(x[at]) / (of.rows * of.columns);
                    }
                }
                out.push_back(average ? sum : most);
            }
        }
    }
    return out;
}

Window window_of(const Case& asked) {
    const auto input = extents(asked.word("input"));
    const auto window = extents(asked.word("window"));
    if (input.size() != 2 || window.size() != 2) {
        throw CannotMeasure("pooling is measured of images of two dimensions: input 112x112, window 3x3");
    }
    Window of{};
    of.planes = positive(asked, "images") * positive(asked, "channels");
    of.height = static_cast<int>(input[0]);
    of.width = static_cast<int>(input[1]);
    of.rows = static_cast<int>(window[0]);
    of.columns = static_cast<int>(window[1]);
    of.stride = static_cast<int>(extents_of(asked, "stride", 2, window[0]).front());
    of.pad = static_cast<int>(extents_of(asked, "pad", 2, 0).front());
    of.out_height = (of.height + 2 * of.pad - of.rows) / of.stride + 1;
    of.out_width = (of.width + 2 * of.pad - of.columns) / of.stride + 1;
    if (of.out_height < 1 || of.out_width < 1 || of.pad >= of.rows || of.pad >= of.columns) {
        throw CannotMeasure("the window of a pool lies in its image, and its padding is less than the window");
    }
    return of;
}

struct Pool {
    Element element;
    bool average, forward;
    Window of;
    Tensor x, y;  ///< y: what is pooled, or its gradient
    Tensor dx;    ///< of an average as x; of the largest fp32, which is added to
    std::shared_ptr<DeviceBuffer> which;
};

void run_pool(const Pool& p, cudaStream_t stream) {
    auto* const places = static_cast<std::int32_t*>(p.which->get());
    if (p.average) {
        p.forward ? average_pool(p.element, p.x.get(), p.y.get(), p.of, stream)
                  : average_pool_backward(p.element, p.y.get(), p.dx.get(), p.of, stream);
    } else {
        p.forward ? max_pool(p.element, p.x.get(), p.y.get(), places, p.of, stream)
                  : max_pool_backward(p.element, p.y.get(), places, p.dx.as<float>(), p.of, stream);
    }
}

/// Forward each value. Backward the inner product <pool(x), dy> = <x, dx>, which holds of every linear pass, and of the
/// largest too, whose places are those of x.
double pool_error(const BenchmarkContext& context, const Pool& p) {
    const auto x = numbers_of(context, p.x);
    const auto y = numbers_of(context, p.y);
    const auto expected = pooled(x, p.of, p.average);
    if (p.forward) {
        return deviation(y, expected);
    }
    const auto dx = numbers_of(context, p.dx);
    double above = 0, below = 0, size = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        above += expected[i] * static_cast<double>(y[i]);
        size += std::abs(expected[i] * static_cast<double>(y[i]));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        below += static_cast<double>(x[i]) * static_cast<double>(dx[i]);
    }
    return std::abs(above - below) / size;
}

Work prepare_pool(const Case& asked, BenchmarkContext& context, Precision precision, Element element, bool forward) {
    Pool p;
    p.element = element;
    p.average = asked.word("operator") == "average-pool";
    p.forward = forward;
    p.of = window_of(asked);
    const Count inputs = p.of.planes * p.of.height * p.of.width;
    const Count outputs = p.of.planes * p.of.out_height * p.of.out_width;
    p.x = normal_tensor(context, element, inputs, "the images");
    p.dx = zero_tensor(context, p.average ? element : Element::fp32, forward ? 1 : inputs, "the gradient");
    p.which = std::make_shared<DeviceBuffer>(Bytes::of_base(4.0 * static_cast<double>(outputs)), "the places");
    if (!forward && !p.average) {  // a backward pass needs true places
        p.y = zero_tensor(context, element, outputs, "the pooled images");
        max_pool(element, p.x.get(), p.y.get(), static_cast<std::int32_t*>(p.which->get()), p.of, context.stream.get());
    }
    p.y = normal_tensor(context, element, outputs, "the pooled images");
    Work work;
    work.run = [p](cudaStream_t stream) { run_pool(p, stream); };
    work.tolerance = std::max(tolerance_of(precision), 1e-4);
    if (is_checked(asked, inputs)) {
        work.error = [p, &context] { return pool_error(context, p); };
    }
    return work;
}

}  // namespace

Work prepare_image_operator(const Case& asked, BenchmarkContext& context) {
    const std::string name = asked.word("operator");
    const Precision precision = precision_of(asked);
    const Element element = element_of_precision(precision, name);
    if (element == Element::fp8) {
        throw CannotMeasure(fmt::format("{} in fp8 is not measured: frameworks run it in 16 bits", name));
    }
    const bool forward = asked.word("direction", "forward") == "forward";
    Work work = name == "batch-norm" ? prepare_batch_norm(asked, context, precision, element, forward)
                                     : prepare_pool(asked, context, precision, element, forward);
    check(cudaGetLastError(), fmt::format("preparing {}", name));
    work.words["implementation"] = "own kernel, nchw";
    return work;
}

}  // namespace dodona::calibrate::cuda
