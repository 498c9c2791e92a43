#include "search/bound.hpp"

#include <algorithm>
#include <limits>

#include "base/precision.hpp"
#include "base/ranges.hpp"
#include "cost/device_time.hpp"
#include "cost/kernel_fit.hpp"
#include "cost/roofline.hpp"
#include "plan/optimizer.hpp"
#include "step/kernel_cost.hpp"

namespace dodona::search {

namespace {

/// Relative rounding by which sums of a plan and of the bound may differ.
constexpr double kRateSlack = 1e-9;

/// Highest rates of one kind of kernel.
struct Fastest {
    FlopPerSecond rate;
    BytesPerSecond bandwidth;
};

/// Precisions that products may run in: with a format of 8 bits or fewer, products outside blocks and attention keep
/// 16.
std::vector<Precision> precisions(const cluster::Device& device, Precision asked) {
    const bool both = is_narrow(asked) && device.supports(Precision::bf16);
    return both ? std::vector{asked, Precision::bf16} : std::vector{asked};
}

Fastest fastest(const cluster::Device& device, graph::KernelKind kind, Precision asked) {
    Fastest fastest;
    double wide = 1;
    for (const Precision precision : precisions(device, asked)) {
        const double saved = kind == graph::KernelKind::convolution ? cost::window_saving(device, precision) : 1;
        const double unfitted = saved * std::max(1.0, device.best_share(precision).value_or(1));
        const double share = cost::most_of_peak(device, kind, precision).value_or(unfitted);
        fastest.rate = max(fastest.rate, share * device.peak(precision));
        wide = std::max(wide, share);
    }
    // Products too narrow for matrix units run on vector units.
    fastest.rate = max(fastest.rate, wide * device.vector);
    double memory = 1;
    if (const auto fitted = cost::most_of_peak(device, kind, asked); fitted && !step::is_product({.kind = kind})) {
        memory = *fitted;
    }
    fastest.bandwidth = memory * device.memory_bandwidth;
    return fastest;
}

bool was_measured(const graph::Graph& graph, const cluster::Cluster& cluster,
                  const std::vector<cluster::DeviceKind>& kinds) {
    return std::any_of(cluster.measured_samples.begin(), cluster.measured_samples.end(),
                       [&](const cluster::MeasuredSamples& samples) { return samples.model == graph.name; }) ||
           any_of(kinds, [](const cluster::DeviceKind& kind) { return !kind.device->curves.empty(); });
}

/// Lower bound of the device time of one sample: by how much each further sample lengthens a pass.
class SampleTime {
public:
    SampleTime(const std::vector<cluster::DeviceKind>& kinds, const Space& space) : kinds_(kinds), space_(space) {}

    [[nodiscard]] Seconds of(const graph::Layer& layer) const {
        if (!layer.nest.work) {
            return {};
        }
        graph::LocalExtents extents = layer.nest.whole();
        const graph::Work one = layer.nest.work(extents);
        extents.loops.front() = kSamples;
        const graph::Work many = layer.nest.work(extents);
        return of(one.forward, many.forward) +
               (layer.input_gradient ? of(one.backward_input, many.backward_input) : Seconds{}) +
               (layer.trains() ? of(one.backward_weight, many.backward_weight) : Seconds{});
    }

private:
    static constexpr double kSamples = 257;

    /// `one`, `many`: the kernels for 1 and kSamples samples. No bound where they do not correspond.
    [[nodiscard]] Seconds of(const std::vector<graph::Kernel>& one, const std::vector<graph::Kernel>& many) const {
        Seconds time;
        for (std::size_t i = 0; i < one.size() && one.size() == many.size(); ++i) {
            const auto more = [&](auto of_one, auto of_many) {
                return (many[i].times * of_many - one[i].times * of_one) / (kSamples - 1);
            };
            const Flop flops = more(one[i].flops, many[i].flops);
            const Bytes bytes =
                more(cost::moved_bytes(one[i], space_.precision), cost::moved_bytes(many[i], space_.precision));
            time += slow_down(one[i].kind) * least(one[i].kind, flops, bytes);
        }
        return time;
    }

    /// In the fastest software. None slows attention in fp32 down (step/kernel_cost.cpp), which tf32 is as well.
    [[nodiscard]] double slow_down(graph::KernelKind kind) const {
        const bool in_fp32 = space_.precision == Precision::fp32 || space_.precision == Precision::tf32;
        double least = in_fp32 && kind == graph::KernelKind::attention ? 1 : std::numeric_limits<double>::infinity();
        for (const Software& software : space_.software) {
            least = std::min(least, software.framework.slow_down(kind));
        }
        return least;
    }

    /// On the fastest of the devices.
    [[nodiscard]] Seconds least(graph::KernelKind kind, Flop flops, Bytes bytes) const {
        std::optional<Seconds> least;
        for (const cluster::DeviceKind& device : kinds_) {
            const Fastest most = fastest(*device.device, kind, space_.precision);
            const bool product = step::is_product({.kind = kind});
            const Seconds time = product ? flops / most.rate : bytes / most.bandwidth;
            least = least ? min(*least, time) : time;
        }
        return max(least.value_or(Seconds{}), Seconds{});
    }

    const std::vector<cluster::DeviceKind>& kinds_;
    const Space& space_;
};

/// Weights and optimizer states of the whole network, without what may be offloaded.
Bytes kept(const graph::Graph& graph, const Space& space) {
    const TrainingBytes bytes = training_bytes(space.precision);
    const plan::Optimizer& optimizer = plan::optimizer(space.optimizer);
    const bool casts = std::any_of(space.software.begin(), space.software.end(), [](const Software& software) {
        return software.memory.has(plan::MemoryAction::cast, plan::MemoryTensors::weights);
    });
    Bytes all;
    if (space.offload.pages) {
        return all;
    }
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        const graph::Layer& layer = graph.layer(v);
        for (const graph::Weight& weight : layer.nest.weights) {
            if (!weight.tied_to.empty()) {
                continue;
            }
            const double elements = static_cast<double>(graph.instances(v)) * weight.elements();
            const plan::WeightSize size{.elements = elements,
                                        .rows = 0,
                                        .factors = 0,
                                        .touched = weight.changed(),
                                        .hidden = layer.is_hidden(weight) ? elements : 0};
            const bool is_master = casts && !layer.frozen;  // if sharded
            all += space.offload.weights || space.vary.offload || is_master
                       ? Bytes{}
                       : elements * graph::stored_weight(layer.storage_of(weight), bytes.weight);
            all += layer.frozen || space.offload.optimizer || space.vary.offload ? Bytes{}
                                                                                 : kept_bytes(optimizer, size, bytes);
        }
    }
    return all;
}

}  // namespace

bool Bound::may_fit(std::int64_t devices) const {
    return (1 - kRateSlack) * least_memory <= static_cast<double>(devices) * memory_of_one;
}

double Bound::most_samples_per_second(std::int64_t devices) const {
    const double sample = least_sample.in(unit::second);
    return sample > 0 ? (1 + kRateSlack) * static_cast<double>(devices) / sample
                      : std::numeric_limits<double>::infinity();
}

Bound bound(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space) {
    const std::vector<cluster::DeviceKind> kinds = cluster.device_kinds(cluster.devices());
    Bound bound;
    for (const cluster::DeviceKind& kind : kinds) {
        const Bytes offered = (1 - cluster.memory_reserve) * kind.device->memory;
        const Bytes limit = (1 - space.reserve) * (space.max_memory ? min(*space.max_memory, offered) : offered);
        bound.memory_of_one = max(bound.memory_of_one, max(limit - kind.device->context, Bytes{}));
    }
    bound.least_memory = kept(graph, space);
    if (was_measured(graph, cluster, kinds)) {
        return bound;
    }
    const SampleTime sample(kinds, space);
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        bound.least_sample += static_cast<double>(graph.instances(v)) * sample.of(graph.layer(v));
    }
    return bound;
}

}  // namespace dodona::search
