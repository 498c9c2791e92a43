// Convolutions as a framework calls them: nearly all by oneDNN, the smallest of window 1 as a product for each image.
#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "calibrate/cpu/benchmarks.hpp"
#include "calibrate/cpu/sgemm.hpp"
#include "calibrate/cpu/threads.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

bool all_are(const Extents& extents, std::int64_t value) {
    return std::all_of(extents.begin(), extents.end(), [=](std::int64_t extent) { return extent == value; });
}

/// Whether PyTorch leaves oneDNN out: windows of 1 with stride 1, fewer than 16 images, one thread.
/// Source: PyTorch 1.13, aten/src/ATen/native/Convolution.cpp, ConvParams::use_mkldnn.
bool is_plain_product(const ConvolutionShape& shape, std::int64_t threads) {
    constexpr std::int64_t kImagesOfOneDnn = 16;
    return threads == 1 && shape.groups == 1 && shape.images < kImagesOfOneDnn && all_are(shape.window, 1) &&
           all_are(shape.stride, 1) && all_are(shape.pad, 0);
}

/// Without the word, directly: what frameworks ask oneDNN for, an implicit product without workspace.
ConvolutionAlgorithm algorithm_of(const Case& asked) {
    if (!asked.has("algorithm")) {
        return ConvolutionAlgorithm::direct;
    }
    if (asked.word("algorithm") != "winograd") {
        throw CannotMeasure(
            fmt::format("the CPU back end runs convolutions by winograd, or directly where no algorithm is asked for, "
                        "not by {}; leave out the algorithm",
                        asked.word("algorithm")));
    }
    return ConvolutionAlgorithm::winograd;
}

Job product_for_each_image(const ConvolutionShape& shape, Pass pass, const TensorFactory& factory) {
    const std::int64_t plane =
        std::accumulate(shape.input.begin(), shape.input.end(), std::int64_t{1}, std::multiplies<>());
    const std::int64_t in = shape.channels * plane;
    const std::int64_t out = shape.filters * plane;
    const Floats image = factory.random(shape.images * in);
    const Floats filter = factory.random(shape.filters * shape.channels);
    const Floats result = factory.random(shape.images * out);
    const auto run = [=](Laps&) {
        for (std::int64_t at = 0; at < shape.images; ++at) {
            float* const x = image.get() + at * in;
            float* const y = result.get() + at * out;
            if (pass == Pass::forward) {
                sgemm({.m = shape.filters, .n = plane, .k = shape.channels}, filter.get(), x, y);
            } else if (pass == Pass::backward_input) {
                sgemm({.transpose_a = true, .m = shape.channels, .n = plane, .k = shape.filters}, filter.get(), y, x);
            } else {
                sgemm({.transpose_b = true, .m = shape.filters, .n = shape.channels, .k = plane, .add = 1}, y, x,
                      filter.get());
            }
        }
    };
    return {.run = run, .values = {}, .words = {{"implementation", "a product for each image: " + blas_name()}}};
}

}  // namespace

Job convolution(const Case& asked, const TensorFactory& factory) {
    const Extents input = extents(asked.word("input"));
    if (input.empty() || input.size() > 3) {
        throw CannotMeasure("a convolution needs `input`, its 1 to 3 extents as 56x56; give the case some");
    }
    const ConvolutionShape shape{.images = count(asked, "images", 1),
                                 .channels = count(asked, "channels"),
                                 .filters = count(asked, "filters"),
                                 .groups = count(asked, "groups", 1),
                                 .input = input,
                                 .window = extents_of(asked, "window", input.size(), 1),
                                 .stride = extents_of(asked, "stride", input.size(), 1),
                                 .pad = extents_of(asked, "pad", input.size(), 0),
                                 .dilation = extents_of(asked, "dilation", input.size(), 1)};
    const Precision precision = precision_of(asked);
    const Pass pass = direction_of(asked);
    const Layout layout = layout_from(asked.word("layout", "nchw"));
    const ConvolutionAlgorithm algorithm = algorithm_of(asked);
    if (algorithm == ConvolutionAlgorithm::direct && layout == Layout::nchw && precision == Precision::fp32 &&
        is_plain_product(shape, count(asked, "threads", 1))) {
        return product_for_each_image(shape, pass, factory);
    }
    return onednn_convolution(shape, {pass, layout, precision, algorithm}, factory);
}

}  // namespace dodona::calibrate::cpu
