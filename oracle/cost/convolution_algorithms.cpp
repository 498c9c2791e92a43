#include "cost/convolution_algorithms.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/ranges.hpp"
#include "cost/convolution_curve.hpp"
#include "cost/device_time.hpp"

namespace dodona::cost {

namespace {

constexpr double kTile = 4;             ///< of outputs, each way
constexpr double kTransformed = 6 * 6;  ///< numbers of a transformed tile: (4 + 3 - 1)^2
constexpr Bytes kReal = Bytes::of_base(4);

using graph::Direction;

/// Numbers of the operands: inputs, outputs and weights.
double operands(const Convolution& c) {
    return c.samples * c.groups * c.channels * c.height * c.width +
           c.samples * c.groups * c.filters * c.rows * c.columns +
           c.groups * c.channels * c.filters * c.kernel_height * c.kernel_width;
}

/// So many products over channels, filters and `positions`, whose operands and result are transformed.
struct Transform {
    double positions, products;
    double numbers;  ///< of the transformed operands and result
};

std::optional<Transform> winograd(const Convolution& c) {
    if (!c.dense || c.kernel_height != 3 || c.kernel_width != 3) {
        return std::nullopt;
    }
    const double tiles = c.samples * std::ceil(c.rows / kTile) * std::ceil(c.columns / kTile);
    return Transform{tiles, kTransformed * c.groups,
                     kTransformed * c.groups * (tiles * c.channels + tiles * c.filters + c.channels * c.filters)};
}

std::optional<Transform> fft(const Convolution& c) {
    const double longest = std::max(c.height, c.width);
    if (!c.dense || longest > cluster::kLargestTransform) {
        return std::nullopt;
    }
    const auto edge = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(longest)));
    const double frequencies = edge * (edge / 2 + 1);
    const double pairs = c.samples * (c.channels + c.filters) + c.channels * c.filters;
    return Transform{c.samples, 4 * frequencies * c.groups, 2 * frequencies * c.groups * pairs};  // real and imaginary
}

bool transforms(ConvolutionAlgorithm algorithm) {
    return algorithm == ConvolutionAlgorithm::winograd || algorithm == ConvolutionAlgorithm::fft;
}

std::optional<Transform> transform_of(const Convolution& c, ConvolutionAlgorithm algorithm) {
    return algorithm == ConvolutionAlgorithm::winograd ? winograd(c) : fft(c);
}

/// A product for each number of a transform, and the passes that transform: both operands there, the result back.
Seconds by_formula(const cluster::Device& device, const Convolution& c, const Transform& transform,
                   Direction direction) {
    const double m = direction == Direction::backward_weight ? c.channels : transform.positions;
    const double n = direction == Direction::backward_input ? c.channels : c.filters;
    const double k = direction == Direction::forward          ? c.channels
                     : direction == Direction::backward_input ? c.filters
                                                              : transform.positions;
    return kernel_time(device, graph::matmul(m, n, k, transform.products), Precision::fp32).time.value +
           stream_time(device, (operands(c) + transform.numbers) * kReal).time.value;
}

Convolution layer_of(const cluster::ConvolutionCurve::Point& point) {
    return {.samples = point.samples,
            .groups = point.groups,
            .channels = point.channels / point.groups,
            .filters = point.filters / point.groups,
            .height = point.height,
            .width = point.width,
            .rows = point.rows,
            .columns = point.columns,
            .kernel_height = point.kernel_height,
            .kernel_width = point.kernel_width,
            .dense = point.height - point.kernel_height + 1 == point.rows &&
                     point.width - point.kernel_width + 1 == point.columns,
            .work = {}};
}

/// Of two layers, in log space.
double distance(const Convolution& a, const Convolution& b) {
    const auto far = [](double of_a, double of_b) { return std::abs(std::log(of_a / of_b)); };
    return far(a.samples, b.samples) + far(a.groups, b.groups) + far(a.channels, b.channels) +
           far(a.filters, b.filters) + far(a.rows, b.rows) + far(a.columns, b.columns);
}

/// A measured layer: how far it is from that which is asked for, and what it took over its formula.
struct OffFormula {
    double distance, ratio;
};

/// Of a pass; none: of any.
std::vector<OffFormula> off_formula(const cluster::Device& device, const Convolution& c, const ConvolutionPass& pass,
                                    bool of_any) {
    std::vector<OffFormula> found;
    for (const cluster::ConvolutionCurve& curve : device.convolutions) {
        if (curve.algorithm != pass.algorithm || curve.precision != pass.precision ||
            (!of_any && curve.direction != pass.direction)) {
            continue;
        }
        for (const cluster::ConvolutionCurve::Point& point : curve.points) {
            const Convolution layer = layer_of(point);
            if (const auto transform = transform_of(layer, curve.algorithm)) {
                found.push_back(
                    {distance(c, layer), point.time / by_formula(device, layer, *transform, curve.direction)});
            }
        }
    }
    return found;
}

/// Measured over formula, of the layers nearest to this one; none where the algorithm has no points.
std::optional<double> over_formula(const cluster::Device& device, const Convolution& c, const ConvolutionPass& pass) {
    constexpr std::size_t kNearest = 4;
    constexpr double kSame = 0.01;  ///< no two layers are nearer: a weight has a limit
    std::vector<OffFormula> all = off_formula(device, c, pass, false);
    if (all.empty()) {
        all = off_formula(device, c, pass, true);
    }
    stable_sort(all, [](const OffFormula& a, const OffFormula& b) { return a.distance < b.distance; });
    double weights = 0;
    double sum = 0;
    for (std::size_t i = 0; i < std::min(kNearest, all.size()); ++i) {
        const double far = std::max(all[i].distance, kSame);
        weights += 1 / (far * far);
        sum += std::log(all[i].ratio) / (far * far);
    }
    return weights > 0 ? std::optional(std::exp(sum / weights)) : std::nullopt;
}

bool has_curve(const cluster::Device& device, ConvolutionAlgorithm algorithm, Precision precision) {
    return any_of(device.convolutions, [&](const cluster::ConvolutionCurve& curve) {
        return curve.algorithm == algorithm && curve.precision == precision;
    });
}

/// Whether the algorithm can be compared: none of those that transform was measured, or it was.
bool is_compared(const cluster::Device& device, ConvolutionAlgorithm algorithm, Precision precision) {
    const bool some = has_curve(device, ConvolutionAlgorithm::winograd, precision) ||
                      has_curve(device, ConvolutionAlgorithm::fft, precision);
    return !transforms(algorithm) || !some || has_curve(device, algorithm, precision);
}

/// Of one pass. `evidence` as in AlgorithmCost.
struct PassCost {
    Bytes workspace;
    Seconds time;
    std::optional<Evidence> evidence;
};

std::optional<PassCost> transformed(const cluster::Device& device, const Convolution& c, const ConvolutionPass& pass) {
    if (const auto measured = from_convolution_curves(device, c, pass)) {
        return PassCost{measured->workspace, measured->time, measured->evidence};
    }
    const auto transform = transform_of(c, pass.algorithm);
    if (!transform) {
        return std::nullopt;
    }
    const Bytes workspace = transform->numbers * kReal;
    const Seconds formula = by_formula(device, c, *transform, pass.direction);
    if (const auto ratio = over_formula(device, c, pass)) {
        return PassCost{workspace, *ratio * formula, Evidence::fitted};
    }
    return PassCost{workspace, formula, std::nullopt};
}

Bytes table_of_indices(const Convolution& c, ConvolutionAlgorithm algorithm) {
    const double indices = c.channels * c.kernel_height * c.kernel_width + c.samples * c.rows * c.columns;
    return algorithm == ConvolutionAlgorithm::precomputed_gemm ? indices * kReal : Bytes{};
}

const std::vector<graph::Kernel>& kernels_of(const graph::Work& work, Direction direction) {
    return direction == Direction::forward          ? work.forward
           : direction == Direction::backward_input ? work.backward_input
                                                    : work.backward_weight;
}

PassCost product(const cluster::Device& device, const Convolution& c, const ConvolutionPass& pass) {
    const Bytes indices = table_of_indices(c, pass.algorithm);
    if (const auto measured = from_convolution_curves(device, c, pass)) {
        return {measured->workspace, measured->time, measured->evidence};
    }
    ConvolutionPass other = pass;
    other.algorithm = pass.algorithm == ConvolutionAlgorithm::implicit_gemm ? ConvolutionAlgorithm::precomputed_gemm
                                                                            : ConvolutionAlgorithm::implicit_gemm;
    if (const auto measured = from_convolution_curves(device, c, other)) {
        return {indices, measured->time, measured->evidence};
    }
    PassCost sum{.workspace = indices, .time = {}, .evidence = Evidence::measured};
    for (graph::Kernel kernel : kernels_of(c.work, pass.direction)) {
        kernel.window = 1;  // as an implicit product, not by what gains from overlapping windows
        const KernelTime time = kernel_time(device, kernel, pass.precision);
        sum.time += kernel.times * time.time.value;
        sum.evidence = std::max(*sum.evidence, time.evidence);
    }
    return sum;
}

/// All passes of the layer; none where the algorithm cannot run it.
std::optional<AlgorithmCost> cost_of(const cluster::Device& device, const Convolution& c, Precision precision,
                                     ConvolutionAlgorithm algorithm) {
    AlgorithmCost sum{.algorithm = algorithm, .workspace = {}, .time = {}, .evidence = Evidence::measured};
    for (const Direction direction : {Direction::forward, Direction::backward_weight, Direction::backward_input}) {
        if (direction == Direction::backward_input && !c.input_gradient) {
            continue;
        }
        const ConvolutionPass pass{algorithm, precision, direction};
        const auto cost = transforms(algorithm) ? transformed(device, c, pass) : product(device, c, pass);
        if (!cost) {
            return std::nullopt;
        }
        sum.workspace = max(sum.workspace, cost->workspace);
        sum.time += cost->time;
        const bool known = sum.evidence && cost->evidence;
        sum.evidence = known ? std::optional(std::max(*sum.evidence, *cost->evidence)) : std::nullopt;
    }
    return sum;
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
    std::vector<AlgorithmCost> costs;
    for (const ConvolutionAlgorithm algorithm : cluster::kConvolutionAlgorithms) {
        if (is_compared(device, algorithm, precision)) {
            if (const auto cost = cost_of(device, convolution, precision, algorithm)) {
                costs.push_back(*cost);
            }
        }
    }
    return costs;
}

}  // namespace dodona::cost
