#include "cost/convolution_algorithms.hpp"

#include <bit>
#include <cmath>

#include "cost/device_time.hpp"

namespace dodona::cost {

namespace {

constexpr double kTile = 4;             ///< of outputs, each way
constexpr double kTransformed = 6 * 6;  ///< numbers of a transformed tile: (4 + 3 - 1)^2
constexpr double kLargestTransform = 256;
constexpr Bytes kReal = Bytes::of_base(4);

/// Numbers of the operands: inputs, outputs and weights.
struct Operands {
    double inputs, outputs, weights;
    [[nodiscard]] double sum() const { return inputs + outputs + weights; }
};

Operands plain(const Convolution& c) {
    return {c.samples * c.groups * c.channels * c.height * c.width,
            c.samples * c.groups * c.filters * c.rows * c.columns,
            c.groups * c.channels * c.filters * c.kernel_height * c.kernel_width};
}

/// A product for each number of a transform, and the passes that transform: both operands there, the result back.
Seconds transformed_pass(const cluster::Device& device, const graph::Kernel& product, double read_and_written) {
    return kernel_time(device, product, Precision::fp32).time.value +
           stream_time(device, read_and_written * kReal).time.value;
}

/// Forward, dX and dW: products over channels, filters and `inner` positions.
Seconds three_passes(const cluster::Device& device, const Convolution& c, double positions, double products,
                     double read_and_written) {
    const Seconds forward =
        transformed_pass(device, graph::matmul(positions, c.filters, c.channels, products), read_and_written);
    const Seconds input =
        transformed_pass(device, graph::matmul(positions, c.channels, c.filters, products), read_and_written);
    const Seconds weight =
        transformed_pass(device, graph::matmul(c.channels, c.filters, positions, products), read_and_written);
    return forward + weight + (c.input_gradient ? input : Seconds{});
}

Seconds implicit_time(const cluster::Device& device, const Convolution& c, Precision precision) {
    Seconds time;
    const auto add = [&](const std::vector<graph::Kernel>& kernels) {
        for (graph::Kernel kernel : kernels) {
            kernel.window = 1;  // as an implicit product, not by what gains from overlapping windows
            time += kernel.times * kernel_time(device, kernel, precision).time.value;
        }
    };
    add(c.work.forward);
    add(c.work.backward_weight);
    if (c.input_gradient) {
        add(c.work.backward_input);
    }
    return time;
}

AlgorithmCost winograd(const cluster::Device& device, const Convolution& c) {
    const double tiles = c.samples * std::ceil(c.rows / kTile) * std::ceil(c.columns / kTile);
    const Operands held{kTransformed * tiles * c.groups * c.channels, kTransformed * tiles * c.groups * c.filters,
                        kTransformed * c.groups * c.channels * c.filters};
    return {ConvolutionAlgorithm::winograd, held.sum() * kReal,
            three_passes(device, c, tiles, kTransformed * c.groups, plain(c).sum() + held.sum())};
}

std::optional<AlgorithmCost> fft(const cluster::Device& device, const Convolution& c) {
    const double longest = std::max(c.height, c.width);
    if (longest > kLargestTransform) {
        return {};
    }
    const auto edge = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(longest)));
    const double frequencies = edge * (edge / 2 + 1);
    const double pairs = c.samples * (c.channels + c.filters) + c.channels * c.filters;
    const double numbers = 2 * frequencies * c.groups * pairs;  // real and imaginary
    return AlgorithmCost{ConvolutionAlgorithm::fft, numbers * kReal,
                         three_passes(device, c, c.samples, 4 * frequencies * c.groups, plain(c).sum() + numbers)};
}

}  // namespace

std::optional<Convolution> convolution_of(const graph::Graph& graph, const graph::Layer& layer, double samples) {
    const graph::Nest& nest = layer.nest;
    const bool windowed = nest.inputs.size() == 1 && nest.inputs[0].windows.size() == 4 && nest.inputs[0].windows[2] &&
                          nest.inputs[0].windows[3];
    if (!windowed || layer.producers.empty()) {
        return {};
    }
    graph::LocalExtents local = nest.whole();
    local.loops[graph::kBatch] = samples;
    const graph::Work work = graph::directed(nest.work(local));
    if (work.forward.empty() || work.forward.front().kind != graph::KernelKind::convolution) {
        return {};
    }
    const graph::Window& down = *nest.inputs[0].windows[2];
    const graph::Window& across = *nest.inputs[0].windows[3];
    const auto& x = graph.layer(layer.producers.front()).nest.result.dimensions;
    const auto extent = [&](const char* loop) {
        return static_cast<double>(nest.loops.at(static_cast<std::size_t>(nest.loop(loop))).extent);
    };
    const auto padded = [](graph::Extent input, const graph::Window& window) {
        return static_cast<double>(input + 2 * window.pad);
    };
    return Convolution{.samples = samples,
                       .groups = extent("group"),
                       .channels = extent("channel"),
                       .filters = extent("filter"),
                       .height = padded(x[2].extent, down),
                       .width = padded(x[3].extent, across),
                       .rows = static_cast<double>(nest.result.dimensions[2].extent),
                       .columns = static_cast<double>(nest.result.dimensions[3].extent),
                       .kernel_height = static_cast<double>(down.kernel),
                       .kernel_width = static_cast<double>(across.kernel),
                       .dense = down.stride == 1 && across.stride == 1 && down.dilation == 1 && across.dilation == 1,
                       .work = work,
                       .input_gradient = layer.input_gradient};
}

std::vector<AlgorithmCost> algorithm_costs(const cluster::Device& device, const Convolution& convolution,
                                           Precision precision) {
    const Convolution& c = convolution;
    const Seconds product = implicit_time(device, c, precision);
    const double indices = c.channels * c.kernel_height * c.kernel_width + c.samples * c.rows * c.columns;
    std::vector<AlgorithmCost> costs{{ConvolutionAlgorithm::implicit_gemm, {}, product},
                                     {ConvolutionAlgorithm::precomputed_gemm, indices * kReal, product}};
    if (c.dense && c.kernel_height == 3 && c.kernel_width == 3) {
        costs.push_back(winograd(device, c));
    }
    if (c.dense) {
        if (const auto transformed = fft(device, c)) {
            costs.push_back(*transformed);
        }
    }
    return costs;
}

}  // namespace dodona::cost
