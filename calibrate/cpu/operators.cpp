// What runs between the products. Plain tensors as a framework's own loops run them; the rest by oneDNN.
#include <fmt/format.h>

#include "calibrate/cpu/benchmarks.hpp"
#include "calibrate/cpu/image_passes.hpp"
#include "calibrate/cpu/passes.hpp"
#include "calibrate/cpu/threads.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

const char* const kLoops = "plain loops";

Job loops(std::function<void()> run) {
    return {.run = [run = std::move(run)](Laps&) { run(); }, .values = {}, .words = {{"implementation", kLoops}}};
}

ImageShape image_of(const Case& asked) {
    const Extents input = extents(asked.word("input"));
    if (input.empty() || input.size() > 3) {
        throw CannotMeasure(
            fmt::format("{} needs `input`, the 1 to 3 extents of its images as 56x56", asked.word("operator")));
    }
    return {.images = count(asked, "images", 1), .channels = count(asked, "channels"), .input = input};
}

/// Elements of an operator that is as long as its tensor: of images, or rows by columns.
std::int64_t elements_of(const Case& asked) {
    return asked.has("channels") ? image_of(asked).elements() : count(asked, "rows", 1) * count(asked, "columns");
}

Job relu(std::int64_t elements, bool backward, const TensorFactory& factory) {
    const Floats x = factory.random(elements);
    const Floats y = factory.random(elements);
    if (!backward) {
        return loops([=] {
            in_parts(elements, [&](std::int64_t begin, std::int64_t end) {
                relu_pass({begin, end}, x.get(), y.get());
            });
        });
    }
    const Floats dy = factory.random(elements);
    return loops([=] {
        in_parts(elements, [&](std::int64_t begin, std::int64_t end) {
            relu_backward_pass({begin, end}, dy.get(), y.get(), x.get());
        });
    });
}

Job add(std::int64_t elements, const TensorFactory& factory) {
    const Floats a = factory.random(elements);
    const Floats b = factory.random(elements);
    const Floats sum = factory.random(elements);
    return loops([=] {
        in_parts(elements, [&](std::int64_t begin, std::int64_t end) {
            add_pass({begin, end}, a.get(), b.get(), sum.get());
        });
    });
}

Job rms_norm(std::int64_t rows, std::int64_t columns, bool backward, const TensorFactory& factory) {
    const Floats x = factory.random(rows * columns);
    const Floats y = factory.random(rows * columns);
    const Floats scale = factory.random(columns);
    if (!backward) {
        return loops([=] {
            in_parts(rows, [&](std::int64_t begin, std::int64_t end) {
                rms_norm_rows({begin, end}, columns, x.get(), scale.get(), y.get());
            });
        });
    }
    const Floats dx = factory.random(rows * columns);
    return loops([=] {
        in_parts(rows, [&](std::int64_t begin, std::int64_t end) {
            std::vector<float> scale_gradient(static_cast<std::size_t>(columns));
            rms_norm_backward_rows({begin, end}, columns, x.get(), scale.get(), y.get(), dx.get(),
                                   scale_gradient.data());
        });
    });
}

Job batch_norm(const ImageShape& shape, bool backward, const TensorFactory& factory) {
    const std::int64_t all = shape.elements();
    const std::int64_t plane = all / shape.images / shape.channels;
    const Floats x = factory.random(all);
    const Floats y = factory.random(all);
    const Floats mean = factory.zeros(shape.channels);
    const Floats deviation = factory.random(shape.channels);
    const ChannelStatistics statistics{.mean = mean.get(), .deviation = deviation.get()};
    if (!backward) {
        return loops([=, held = std::vector{mean, deviation}] {
            in_parts(shape.channels, [&](std::int64_t begin, std::int64_t end) {
                batch_norm_statistics({begin, end}, shape.channels, shape.images, plane, x.get(), statistics);
            });
            in_parts(shape.images * shape.channels, [&](std::int64_t begin, std::int64_t end) {
                batch_norm_planes({begin, end}, shape.channels, plane, x.get(), statistics, y.get());
            });
        });
    }
    const Floats dx = factory.random(all);
    return loops([=, held = std::vector{mean, deviation}] {
        in_parts(shape.channels, [&](std::int64_t begin, std::int64_t end) {
            batch_norm_backward({begin, end}, shape.channels, shape.images, plane, x.get(), y.get(), statistics,
                                dx.get());
        });
    });
}

/// One dimension as one row.
Pooling pooling_of(const PoolShape& shape) {
    const auto at = [](const Extents& extents, std::size_t from_last, std::int64_t otherwise) {
        return extents.size() > from_last ? extents[extents.size() - 1 - from_last] : otherwise;
    };
    const Extents result = shape.output();
    return {.rows = at(shape.image.input, 1, 1),
            .columns = at(shape.image.input, 0, 1),
            .result_rows = at(result, 1, 1),
            .result_columns = at(result, 0, 1),
            .window_rows = at(shape.window, 1, 1),
            .window_columns = at(shape.window, 0, 1),
            .stride_rows = at(shape.stride, 1, 1),
            .stride_columns = at(shape.stride, 0, 1),
            .pad_rows = at(shape.pad, 1, 0),
            .pad_columns = at(shape.pad, 0, 0)};
}

Job pool(const PoolShape& shape, bool average, bool backward, const TensorFactory& factory) {
    const Pooling pooling = pooling_of(shape);
    const std::int64_t planes = shape.image.images * shape.image.channels;
    const std::int64_t results = planes * pooling.result_rows * pooling.result_columns;
    const Floats x = factory.random(shape.image.elements());
    const Floats y = factory.random(results);
    if (average) {
        return loops([=] {
            in_parts(planes, [&](std::int64_t begin, std::int64_t end) {
                if (backward) {
                    average_pool_backward_planes({begin, end}, pooling, y.get(), x.get());
                } else {
                    average_pool_planes({begin, end}, pooling, x.get(), y.get());
                }
            });
        });
    }
    const Indices index = factory.indices(results, 1);
    max_pool_planes({0, planes}, pooling, x.get(), y.get(), index.get());  // a backward pass needs true places
    return loops([=] {
        in_parts(planes, [&](std::int64_t begin, std::int64_t end) {
            if (backward) {
                max_pool_backward_planes({begin, end}, pooling, y.get(), index.get(), x.get());
            } else {
                max_pool_planes({begin, end}, pooling, x.get(), y.get(), index.get());
            }
        });
    });
}

Job any_pool(const Case& asked, bool average, bool backward, const TensorFactory& factory) {
    const ImageShape image = image_of(asked);
    const Extents window = extents_of(asked, "window", image.input.size(), 2);
    PoolShape shape{.image = image, .window = window, .stride = window, .pad = {}};
    if (asked.has("stride")) {
        shape.stride = extents_of(asked, "stride", image.input.size(), 1);
    }
    shape.pad = extents_of(asked, "pad", image.input.size(), 0);
    for (const std::int64_t extent : shape.output()) {
        if (extent < 1) {
            throw CannotMeasure("this pool has no result: its window does not fit; correct the case");
        }
    }
    const bool blocked = layout_from(asked.word("layout", "nchw")) != Layout::nchw;
    if (!blocked && image.input.size() == 3) {
        throw CannotMeasure("pools of three dimensions are measured with layout blocked only; ask for that");
    }
    return blocked || precision_of(asked) != Precision::fp32
               ? onednn_pool(shape, average, backward, precision_of(asked), factory)
               : pool(shape, average, backward, factory);
}

}  // namespace

Job operators(const Case& asked, const TensorFactory& factory) {
    const std::string kind = asked.word("operator");
    const Precision precision = precision_of(asked);
    const bool fp32 = precision == Precision::fp32;
    const Pass pass = direction_of(asked);
    if (pass == Pass::backward_weight) {
        throw CannotMeasure("the backward pass of an operator is measured as a whole; ask for backward-input");
    }
    const bool backward = pass == Pass::backward_input;
    if (kind == "batch-norm") {
        const bool plain = layout_from(asked.word("layout", "nchw")) == Layout::nchw && fp32;
        return plain ? batch_norm(image_of(asked), backward, factory)
                     : onednn_batch_norm(image_of(asked), backward, precision, factory);
    }
    if (kind == "max-pool" || kind == "average-pool") {
        return any_pool(asked, kind == "average-pool", backward, factory);
    }
    if (kind == "softmax") {
        return onednn_softmax(count(asked, "rows"), count(asked, "columns"), backward, precision, factory);
    }
    if (kind == "layer-norm") {
        return onednn_layer_norm(count(asked, "rows"), count(asked, "columns"), backward, precision, factory);
    }
    if (kind == "rms-norm" && fp32) {
        return rms_norm(count(asked, "rows"), count(asked, "columns"), backward, factory);
    }
    if (kind == "relu" && fp32) {
        return relu(elements_of(asked), backward, factory);
    }
    if (kind == "add" && fp32) {
        return add(elements_of(asked), factory);
    }
    return onednn_activation(kind, elements_of(asked), backward, precision, factory);
}

}  // namespace dodona::calibrate::cpu
