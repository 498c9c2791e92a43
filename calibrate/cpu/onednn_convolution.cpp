// Convolutions and products of oneDNN.
#include <algorithm>
#include <functional>
#include <numeric>

#include "calibrate/cpu/onednn_primitive.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

using Forward = dnnl::convolution_forward;
using BackwardData = dnnl::convolution_backward_data;
using BackwardWeights = dnnl::convolution_backward_weights;

std::int64_t reach(std::int64_t input, std::int64_t window, std::int64_t stride, std::int64_t pad) {
    return (input + 2 * pad - window) / stride + 1;
}

/// Tensors of a convolution as extents and as oneDNN's descriptions.
struct Tensors {
    Extents image, filter, result;
    dnnl::memory::desc image_any, filter_any, result_any;  ///< what the primitive may choose
    dnnl::memory::dims dilation;

    Tensors(const ConvolutionShape& shape, Layout layout, Precision precision)
        : image{shape.images, shape.channels}, result{shape.images, shape.filters}, dilation(shape.dilation) {
        image.insert(image.end(), shape.input.begin(), shape.input.end());
        const Extents out = shape.output();
        result.insert(result.end(), out.begin(), out.end());
        filter = shape.groups > 1 ? Extents{shape.groups, shape.filters / shape.groups, shape.channels / shape.groups}
                                  : Extents{shape.filters, shape.channels};
        filter.insert(filter.end(), shape.window.begin(), shape.window.end());
        const auto choose = layout == Layout::nhwc ? channels_last : any_layout;
        image_any = choose(image, precision);
        result_any = choose(result, precision);
        filter_any = any_layout(filter, precision);
        for (std::int64_t& each : dilation) {
            --each;  // oneDNN counts the gaps
        }
    }
};

Forward::primitive_desc forward(const ConvolutionShape& shape, const Tensors& tensors, dnnl::algorithm algorithm) {
    return {Forward::desc(dnnl::prop_kind::forward_training, algorithm, tensors.image_any, tensors.filter_any,
                          tensors.result_any, shape.stride, tensors.dilation, shape.pad, shape.pad),
            cpu_engine()};
}

/// The image, the filter and the result of a convolution, or their gradients.
struct Wanted {
    int image, filter, result;  ///< slots
    dnnl::memory::desc image_as, filter_as, result_as;
    Pass pass;
};

std::vector<Argument> arguments(const Tensors& tensors, const Wanted& wanted, Layout layout, Precision precision) {
    const auto held = [&](const Extents& extents, const dnnl::memory::desc& as) {
        return layout == Layout::blocked ? as
               : layout == Layout::nhwc  ? channels_last(extents, precision)
                                         : plain(extents, precision);
    };
    const dnnl::memory::desc filter = layout == Layout::blocked ? wanted.filter_as : plain(tensors.filter, precision);
    return {{.slot = wanted.image,
             .held = held(tensors.image, wanted.image_as),
             .wanted = wanted.image_as,
             .result = wanted.pass == Pass::backward_input},
            {.slot = wanted.filter,
             .held = filter,
             .wanted = wanted.filter_as,
             .result = wanted.pass == Pass::backward_weight},
            {.slot = wanted.result,
             .held = held(tensors.result, wanted.result_as),
             .wanted = wanted.result_as,
             .result = wanted.pass == Pass::forward}};
}

void check_shape(const ConvolutionShape& shape) {
    const Extents out = shape.output();
    const bool empty = std::any_of(out.begin(), out.end(), [](std::int64_t extent) { return extent < 1; });
    if (empty || shape.groups < 1 || shape.channels % shape.groups != 0 || shape.filters % shape.groups != 0) {
        throw CannotMeasure(
            "this convolution has no result: its window does not fit, or its groups do not divide "
            "channels and filters; correct the case");
    }
}

}  // namespace

Extents ConvolutionShape::output() const {
    Extents out;
    for (std::size_t i = 0; i < input.size(); ++i) {
        out.push_back(reach(input[i], dilation[i] * (window[i] - 1) + 1, stride[i], pad[i]));
    }
    return out;
}

std::int64_t ImageShape::elements() const {
    return std::accumulate(input.begin(), input.end(), images * channels, std::multiplies<>());
}

Extents PoolShape::output() const {
    Extents out;
    for (std::size_t i = 0; i < window.size(); ++i) {
        out.push_back(reach(image.input[i], window[i], stride[i], pad[i]));
    }
    return out;
}

Job onednn_convolution(const ConvolutionShape& shape, const ConvolutionPass& asked, const TensorFactory& factory) {
    check_precision(asked.precision);
    check_shape(shape);
    const Pass pass = asked.pass;
    const Layout layout = asked.layout;
    const Precision precision = asked.precision;
    const bool winograd = asked.algorithm == ConvolutionAlgorithm::winograd;
    return or_cannot_measure(winograd ? "convolution by winograd" : "convolution", [&] {
        const Tensors tensors(shape, layout, precision);
        const auto algorithm = winograd ? dnnl::algorithm::convolution_winograd : dnnl::algorithm::convolution_direct;
        const Forward::primitive_desc hint = forward(shape, tensors, algorithm);
        const auto made = [&](const auto& primitive, const auto& described, const Wanted& wanted) {
            Job job =
                job_of(primitive, described.impl_info_str(), arguments(tensors, wanted, layout, precision), factory);
            if (winograd) {
                job.values["workspace"] = static_cast<double>(described.query_s64(dnnl::query::memory_consumption_s64));
            }
            return job;
        };
        if (pass == Pass::forward) {
            return made(Forward(hint), hint,
                        {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, hint.src_desc(), hint.weights_desc(),
                         hint.dst_desc(), pass});
        }
        if (pass == Pass::backward_input) {
            const BackwardData::primitive_desc described(
                BackwardData::desc(algorithm, tensors.image_any, tensors.filter_any, tensors.result_any, shape.stride,
                                   tensors.dilation, shape.pad, shape.pad),
                cpu_engine(), hint);
            return made(BackwardData(described), described,
                        {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST, described.diff_src_desc(),
                         described.weights_desc(), described.diff_dst_desc(), pass});
        }
        const BackwardWeights::primitive_desc described(
            BackwardWeights::desc(algorithm, tensors.image_any, tensors.filter_any, tensors.result_any, shape.stride,
                                  tensors.dilation, shape.pad, shape.pad),
            cpu_engine(), hint);
        return made(BackwardWeights(described), described,
                    {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST, described.src_desc(),
                     described.diff_weights_desc(), described.diff_dst_desc(), pass});
    });
}

void onednn_sgemm(const Product& product, const float* a, const float* b, float* c) {
    dnnl_sgemm(product.transpose_a ? 'T' : 'N', product.transpose_b ? 'T' : 'N', product.m, product.n, product.k, 1, a,
               product.transpose_a ? product.m : product.k, b, product.transpose_b ? product.k : product.n, product.add,
               c, product.n);
}

Job onednn_matmul(const Product& product, std::int64_t batch, Precision precision, const TensorFactory& factory) {
    check_precision(precision);
    using Tag = dnnl::memory::format_tag;
    return or_cannot_measure("product", [&] {
        const auto type = data_type(precision);
        const dnnl::memory::desc a({batch, product.m, product.k}, type, product.transpose_a ? Tag::acb : Tag::abc);
        const dnnl::memory::desc b({batch, product.k, product.n}, type, product.transpose_b ? Tag::acb : Tag::abc);
        const dnnl::memory::desc c({batch, product.m, product.n}, type, Tag::abc);
        const dnnl::matmul::primitive_desc described(dnnl::matmul::desc(a, b, c), cpu_engine());
        return job_of(dnnl::matmul(described), described.impl_info_str(),
                      {{.slot = DNNL_ARG_SRC, .held = a, .wanted = a},
                       {.slot = DNNL_ARG_WEIGHTS, .held = b, .wanted = b},
                       {.slot = DNNL_ARG_DST, .held = c, .wanted = c, .result = true}},
                      factory);
    });
}

}  // namespace dodona::calibrate::cpu
