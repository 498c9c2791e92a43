// What runs between the products, by oneDNN.

#include <fmt/format.h>

#include "calibrate/cpu/onednn_primitive.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

constexpr auto kTraining = dnnl::prop_kind::forward_training;
constexpr auto kBackward = dnnl::prop_kind::backward;
constexpr float kOneDnnEpsilon = 1e-5F;

/// An argument that is held as it is wanted.
Argument as_is(int slot, const dnnl::memory::desc& description, bool result = false) {
    return {.slot = slot, .held = description, .wanted = description, .result = result};
}

struct Activation {
    const char* name;
    dnnl::algorithm algorithm;
    float alpha;
};

constexpr Activation kActivations[] = {
    {"relu", dnnl::algorithm::eltwise_relu, 0},        {"gelu", dnnl::algorithm::eltwise_gelu_erf, 0},
    {"sigmoid", dnnl::algorithm::eltwise_logistic, 0}, {"tanh", dnnl::algorithm::eltwise_tanh, 0},
    {"silu", dnnl::algorithm::eltwise_swish, 1},
};

dnnl::memory::desc image_of(const ImageShape& shape, const Extents& extents, Precision precision) {
    Extents all{shape.images, shape.channels};
    all.insert(all.end(), extents.begin(), extents.end());
    if (all.size() == 4) {  // the layout that convolutions choose here
        using Tag = dnnl::memory::format_tag;
        const bool wide =
            (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) &
             static_cast<unsigned>(dnnl::cpu_isa::avx512_core)) == static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
        return {all, data_type(precision), wide ? Tag::nChw16c : Tag::nChw8c};
    }
    return plain(all, precision);
}

/// Scaled and shifted, `scales` numbers each; the statistics are kept for the backward pass.
template <typename Forward, typename Backward>
Job normalization(const dnnl::memory::desc& all, std::int64_t scales, bool backward, const TensorFactory& factory) {
    const auto scaled = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    const dnnl::memory::desc scale = plain({scales}, Precision::fp32);
    const typename Forward::primitive_desc forward(typename Forward::desc(kTraining, all, kOneDnnEpsilon, scaled),
                                                   cpu_engine());
    std::vector<Argument> arguments{as_is(DNNL_ARG_SRC, all), as_is(DNNL_ARG_SCALE, scale),
                                    as_is(DNNL_ARG_MEAN, forward.mean_desc(), !backward),
                                    as_is(DNNL_ARG_VARIANCE, forward.variance_desc(), !backward)};
    arguments.push_back(as_is(DNNL_ARG_SHIFT, scale));
    if (!backward) {
        arguments.push_back(as_is(DNNL_ARG_DST, all, true));
        return job_of(Forward(forward), forward.impl_info_str(), arguments, factory);
    }
    const typename Backward::primitive_desc back(typename Backward::desc(kBackward, all, all, kOneDnnEpsilon, scaled),
                                                 cpu_engine(), forward);
    arguments.push_back(as_is(DNNL_ARG_DIFF_SCALE, scale, true));
    arguments.push_back(as_is(DNNL_ARG_DIFF_SHIFT, scale, true));
    arguments.push_back(as_is(DNNL_ARG_DIFF_DST, all));
    arguments.push_back(as_is(DNNL_ARG_DIFF_SRC, all, true));
    return job_of(Backward(back), back.impl_info_str(), arguments, factory);
}

}  // namespace

Job onednn_activation(std::string_view kind, std::int64_t elements, bool backward, Precision precision,
                      const TensorFactory& factory) {
    check_precision(precision);
    for (const Activation& each : kActivations) {
        if (kind != each.name) {
            continue;
        }
        return or_cannot_measure(each.name, [&] {
            using Forward = dnnl::eltwise_forward;
            using Backward = dnnl::eltwise_backward;
            const dnnl::memory::desc all = plain({elements}, precision);
            const Forward::primitive_desc forward(Forward::desc(kTraining, each.algorithm, all, each.alpha, 0),
                                                  cpu_engine());
            if (!backward) {
                return job_of(Forward(forward), forward.impl_info_str(),
                              {as_is(DNNL_ARG_SRC, all), as_is(DNNL_ARG_DST, all, true)}, factory);
            }
            const Backward::primitive_desc back(Backward::desc(each.algorithm, all, all, each.alpha, 0), cpu_engine(),
                                                forward);
            return job_of(
                Backward(back), back.impl_info_str(),
                {as_is(DNNL_ARG_SRC, all), as_is(DNNL_ARG_DIFF_DST, all), as_is(DNNL_ARG_DIFF_SRC, all, true)},
                factory);
        });
    }
    throw CannotMeasure(
        fmt::format("{} is no operator that the CPU back end knows; it knows relu, gelu, sigmoid, tanh, "
                    "silu, add, layer-norm, rms-norm, softmax, batch-norm, max-pool, average-pool",
                    kind));
}

Job onednn_softmax(std::int64_t rows, std::int64_t columns, bool backward, Precision precision,
                   const TensorFactory& factory) {
    check_precision(precision);
    return or_cannot_measure("softmax", [&] {
        using Forward = dnnl::softmax_forward;
        using Backward = dnnl::softmax_backward;
        const dnnl::memory::desc all = plain({rows, columns}, precision);
        const Forward::primitive_desc forward(Forward::desc(kTraining, all, 1), cpu_engine());
        if (!backward) {
            return job_of(Forward(forward), forward.impl_info_str(),
                          {as_is(DNNL_ARG_SRC, all), as_is(DNNL_ARG_DST, all, true)}, factory);
        }
        const Backward::primitive_desc back(Backward::desc(all, all, 1), cpu_engine(), forward);
        return job_of(Backward(back), back.impl_info_str(),
                      {as_is(DNNL_ARG_DST, all), as_is(DNNL_ARG_DIFF_DST, all), as_is(DNNL_ARG_DIFF_SRC, all, true)},
                      factory);
    });
}

Job onednn_layer_norm(std::int64_t rows, std::int64_t columns, bool backward, Precision precision,
                      const TensorFactory& factory) {
    check_precision(precision);
    return or_cannot_measure("layer-norm", [&] {
        return normalization<dnnl::layer_normalization_forward, dnnl::layer_normalization_backward>(
            plain({rows, columns}, precision), columns, backward, factory);
    });
}

Job onednn_batch_norm(const ImageShape& shape, bool backward, Precision precision, const TensorFactory& factory) {
    check_precision(precision);
    return or_cannot_measure("batch-norm", [&] {
        return normalization<dnnl::batch_normalization_forward, dnnl::batch_normalization_backward>(
            image_of(shape, shape.input, precision), shape.channels, backward, factory);
    });
}

Job onednn_pool(const PoolShape& shape, bool average, bool backward, Precision precision,
                const TensorFactory& factory) {
    check_precision(precision);
    return or_cannot_measure("pool", [&] {
        using Forward = dnnl::pooling_forward;
        const auto algorithm = average ? dnnl::algorithm::pooling_avg_include_padding : dnnl::algorithm::pooling_max;
        const dnnl::memory::desc image = image_of(shape.image, shape.image.input, precision);
        const dnnl::memory::desc result = image_of(shape.image, shape.output(), precision);
        const Forward::primitive_desc forward(
            Forward::desc(kTraining, algorithm, image, result, shape.stride, shape.window, shape.pad, shape.pad),
            cpu_engine());
        std::vector<Argument> arguments;
        if (!average) {
            arguments.push_back(as_is(DNNL_ARG_WORKSPACE, forward.workspace_desc(), !backward));
        }
        if (!backward) {
            arguments.push_back(as_is(DNNL_ARG_SRC, image));
            arguments.push_back(as_is(DNNL_ARG_DST, result, true));
            return job_of(Forward(forward), forward.impl_info_str(), arguments, factory);
        }
        throw CannotMeasure("the backward pass of a pool runs with layout nchw only; leave `layout` out");
    });
}

Job onednn_nothing(const TensorFactory& factory) {
    Job job = onednn_activation("relu", 1, false, Precision::fp32, factory);
    job.warm = true;
    return job;
}

}  // namespace dodona::calibrate::cpu
