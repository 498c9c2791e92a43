// Benchmarks convolution and attention: graphs (network_graphs.hpp) with tensors, run and compared.
#include "calibrate/cuda/networks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"
#include "calibrate/cuda/network_check.hpp"
#include "calibrate/cuda/network_graphs.hpp"

namespace dodona::calibrate::cuda {

/// A handle of cuDNN and the device that it plans for.
class Networks {
public:
    Networks() {
        if (const cudnnStatus_t answer = cudnnCreate(&handle_); answer != CUDNN_STATUS_SUCCESS) {
            throw CannotMeasure(fmt::format("starting cuDNN: {}", cudnnGetErrorString(answer)));
        }
    }
    Networks(const Networks&) = delete;
    Networks& operator=(const Networks&) = delete;
    ~Networks() { (void)cudnnDestroy(handle_); }

    static Networks& of(BenchmarkContext& context) {
        if (!context.networks) {
            context.networks = std::make_shared<Networks>();
        }
        return *context.networks;
    }

    [[nodiscard]] CudnnPlan plan(const CudnnGraph& graph, Precision precision) const {
        return graph.plan(CudnnDevice::of(handle_), handle_, refused_of(precision));
    }
    void run(const CudnnPlan& plan, const std::map<CudnnGraph::Id, void*>& tensors, void* scratch,
             cudaStream_t stream) const {
        if (cudnnSetStream(handle_, stream) != CUDNN_STATUS_SUCCESS) {
            throw CannotMeasure("cuDNN does not take the stream");
        }
        plan.run(handle_, tensors, scratch);
    }

private:
    cudnnHandle_t handle_ = nullptr;
};

namespace {

ConvolutionShape convolution_of(const Case& asked) {
    ConvolutionShape shape;
    shape.images = positive(asked, "images");
    shape.channels = positive(asked, "channels");
    shape.filters = positive(asked, "filters");
    shape.groups = static_cast<Count>(std::max(1.0, asked.number("groups", 1)));
    shape.input = extents(asked.word("input"));
    shape.window = extents(asked.word("window"));
    const std::size_t dimensions = shape.input.size();
    if (dimensions < 2 || dimensions > 3 || shape.window.size() != dimensions) {
        throw CannotMeasure("convolutions are measured in 2 and 3 dimensions: input 56x56, window 3x3");
    }
    shape.strides = extents_of(asked, "stride", dimensions, 1);
    shape.pads = extents_of(asked, "pad", dimensions, 0);
    shape.dilations = extents_of(asked, "dilation", dimensions, 1);
    const std::string layout = asked.word("layout", "nhwc");
    if (layout != "nchw" && layout != "nhwc") {
        throw CannotMeasure(fmt::format("{} is no layout of a GPU's convolution; one is nchw or nhwc", layout));
    }
    shape.channels_last = layout == "nhwc";
    const auto output = shape.output();
    if (shape.channels % shape.groups != 0 || shape.filters % shape.groups != 0 ||
        std::any_of(output.begin(), output.end(), [](std::int64_t extent) { return extent < 1; })) {
        throw CannotMeasure("the window of a convolution lies in its padded input, and its groups share all channels");
    }
    return shape;
}

AttentionShape attention_of(const Case& asked) {
    AttentionShape shape;
    shape.batch = positive(asked, "batch");
    shape.heads = positive(asked, "heads");
    shape.kv_heads = asked.has("kv_heads") ? positive(asked, "kv_heads") : shape.heads;
    shape.queries = positive(asked, "queries");
    shape.keys = positive(asked, "keys");
    shape.head = positive(asked, "head");
    shape.causal = asked.number("causal") != 0;
    return shape;
}

/// Numbers that a plan reads from the host while it runs: the run keeps them.
struct Scalars {
    float scale, one, masked;
};

}  // namespace

Work prepare_convolution(const Case& asked, BenchmarkContext& context) {
    if (asked.has("algorithm")) {
        throw CannotMeasure(
            fmt::format("cuDNN's heuristic chooses the algorithm of a convolution here; {} can't be asked for",
                        asked.word("algorithm")));
    }
    const ConvolutionShape shape = convolution_of(asked);
    const Precision precision = precision_of(asked);
    const std::string direction = asked.word("direction", "forward");
    const Element element = element_of_precision(precision, "a convolution");
    const ConvolutionGraph built = convolution_graph(shape, precision, direction);
    Networks& networks = Networks::of(context);
    const CudnnPlan plan = networks.plan(built.graph, precision);
    (void)context.scratch_of(plan.scratch());

    ConvolutionTensors tensors;
    tensors.x = normal_tensor(context, element, shape.x_elements(), "the images");
    tensors.w = normal_tensor(context, element, shape.w_elements(), "the filters");
    tensors.y = normal_tensor(context, element, shape.y_elements(), "the results");
    Work work;
    work.run = [=, &context, &networks](cudaStream_t stream) {
        networks.run(plan, {{built.x, tensors.x.get()}, {built.w, tensors.w.get()}, {built.y, tensors.y.get()}},
                     context.scratch.get(), stream);
    };
    work.lasting = true;
    // Winograd and FFT transform what they multiply: their fp32 is that much coarser.
    work.tolerance = std::max(tolerance_of(precision), 1e-3);
    if (shape.input.size() == 2 && is_checked(asked, shape.x_elements() + shape.w_elements() + shape.y_elements())) {
        work.error = [=, &context] { return convolution_error(context, shape, tensors, direction); };
    }
    work.values["workspace"] = plan.scratch().in(1_B);
    work.words["algorithm"] = plan.engine();
    work.words["layout"] = shape.channels_last ? "nhwc" : "nchw";
    return work;
}

Work prepare_attention(const Case& asked, BenchmarkContext& context) {
    const AttentionShape shape = attention_of(asked);
    const Precision precision = precision_of(asked, Precision::bf16);
    const Element element = element_of_precision(precision, "attention");
    const std::string direction = asked.word("direction", "forward");
    const bool backward = direction == "backward-input" || direction == "backward";
    if (!backward && direction != "forward") {
        throw CannotMeasure(
            "the gradients of an attention's queries, keys and values come together: direction "
            "backward-input");
    }
    Networks& networks = Networks::of(context);
    const AttentionForward forward = attention_forward(shape, precision);
    const CudnnPlan forward_plan = networks.plan(forward.graph, precision);

    const Count queries = shape.batch * shape.heads * shape.queries * shape.head;
    const Count keys = shape.batch * shape.kv_heads * shape.keys * shape.head;
    AttentionTensors t;
    t.q = normal_tensor(context, element, queries, "the queries");
    t.k = normal_tensor(context, element, keys, "the keys");
    t.v = normal_tensor(context, element, keys, "the values");
    t.output = zero_tensor(context, element, queries, "the attended values");
    t.statistics = zero_tensor(context, Element::fp32, queries / shape.head, "the sums of rows");
    const auto scalars = std::make_shared<Scalars>(
        Scalars{1.0F / std::sqrt(static_cast<float>(shape.head)), 1.0F, std::numeric_limits<float>::lowest()});
    std::map<CudnnGraph::Id, void*> given{{forward.q, t.q.get()},           {forward.k, t.k.get()},
                                          {forward.v, t.v.get()},           {forward.output, t.output.get()},
                                          {forward.scale, &scalars->scale}, {forward.statistics, t.statistics.get()}};
    if (forward.masked != 0) {
        given[forward.masked] = &scalars->masked;
    }
    (void)context.scratch_of(forward_plan.scratch());
    Work work;
    work.lasting = true;
    work.tolerance = 2.0 * tolerance_of(precision);  // two products, the probabilities rounded between them
    work.run = [=, &context, &networks](cudaStream_t stream) {
        (void)t;
        (void)scalars;
        networks.run(forward_plan, given, context.scratch.get(), stream);
    };
    work.words["algorithm"] = forward_plan.engine();
    work.values["workspace"] = forward_plan.scratch().in(1_B);
    if (!backward) {
        if (is_checked(asked, 2 * queries + 2 * keys)) {
            work.error = [=, &context] { return attention_error(context, shape, t); };
        }
        return work;
    }
    work.run(context.stream.get());  // outputs and statistics of a forward pass

    const AttentionBackward back = attention_backward(shape, precision);
    const CudnnPlan plan = networks.plan(back.graph, precision);
    (void)context.scratch_of(plan.scratch());
    t.dout = normal_tensor(context, element, queries, "the gradient");
    t.dq = zero_tensor(context, element, queries, "the gradient of the queries");
    t.dk = zero_tensor(context, element, keys, "the gradient of the keys");
    t.dv = zero_tensor(context, element, keys, "the gradient of the values");
    const Tensor sums = zero_tensor(context, Element::fp32, queries / shape.head, "sums of gradients");
    const Tensor dq_sums = zero_tensor(context, Element::fp32, queries, "sums of the queries' gradient");
    std::map<CudnnGraph::Id, void*> all{
        {back.q, t.q.get()},           {back.k, t.k.get()},           {back.v, t.v.get()},
        {back.output, t.output.get()}, {back.dout, t.dout.get()},     {back.statistics, t.statistics.get()},
        {back.dq, t.dq.get()},         {back.dk, t.dk.get()},         {back.dv, t.dv.get()},
        {back.sums, sums.get()},       {back.dq_sums, dq_sums.get()}, {back.scale, &scalars->scale},
        {back.one, &scalars->one}};
    if (back.masked != 0) {
        all[back.masked] = &scalars->masked;
    }
    const std::size_t dq_bytes = static_cast<std::size_t>(dq_sums.memory->size().in(1_B));
    work.run = [=, &context, &networks](cudaStream_t stream) {
        (void)t;
        (void)sums;
        (void)scalars;
        // Engines add to it; since 9.6 they clear it themselves, before it is the caller's to do.
        if (cudnnGetVersion() < 90600) {
            check(cudaMemsetAsync(dq_sums.get(), 0, dq_bytes, stream), "clearing sums of gradients");
        }
        networks.run(plan, all, context.scratch.get(), stream);
    };
    work.words["algorithm"] = plan.engine();
    work.values["workspace"] = plan.scratch().in(1_B);
    if (is_checked(asked, 4 * queries + 4 * keys)) {
        work.error = [=, &context] { return attention_backward_error(context, shape, t); };
    }
    return work;
}

std::size_t cudnn_version() { return cudnnGetVersion(); }

}  // namespace dodona::calibrate::cuda
