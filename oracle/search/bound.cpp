#include "search/bound.hpp"

#include <algorithm>
#include <limits>

#include "base/precision.hpp"
#include "plan/optimizer.hpp"
#include "schedule/kernel_cost.hpp"

namespace dodona::search {

namespace {

/// Bits of rounding that sums of a plan and of the bound may differ by.
constexpr double kSlack = 1e-9;

/// As much as one device can take of this kind: every fit of the profile may answer, whatever its precision.
FlopPerSecond fastest(const cluster::Device& device, graph::KernelKind kind, Precision precision) {
    const FlopPerSecond peak =
        max(device.peak(precision),
            device.supports(Precision::bf16) ? device.peak(Precision::bf16) : device.peak(precision));
    double share = 1;
    for (const cluster::KernelFit& fit : device.profile.fits) {
        const bool gains = kind == graph::KernelKind::convolution && fit.window_gain > 1;
        share = std::max(share, fit.compute * (gains ? fit.window_gain : 1));
    }
    return share * max(peak, device.vector);
}

bool was_measured(const graph::Graph& graph, const cluster::Cluster& cluster,
                  const std::vector<cluster::DeviceKind>& kinds) {
    return std::any_of(cluster.measured_samples.begin(), cluster.measured_samples.end(),
                       [&](const cluster::MeasuredSamples& samples) { return samples.model == graph.name; }) ||
           std::any_of(kinds.begin(), kinds.end(),
                       [](const cluster::DeviceKind& kind) { return !kind.device->curves.empty(); });
}

class OfOneSample {
public:
    OfOneSample(const std::vector<cluster::DeviceKind>& kinds, const Space& space) : kinds_(kinds), space_(space) {}

    [[nodiscard]] Seconds of(const graph::Layer& layer) const {
        if (!layer.nest.work) {
            return {};
        }
        const graph::Work work = layer.nest.work(layer.nest.whole());
        return of(work.forward) + (layer.input_gradient ? of(work.backward_input) : Seconds{}) +
               (layer.trains() ? of(work.backward_weight) : Seconds{});
    }

private:
    [[nodiscard]] Seconds of(const std::vector<graph::Kernel>& kernels) const {
        Seconds time;
        for (const graph::Kernel& kernel : kernels) {
            if (!schedule::is_product(kernel)) {
                continue;
            }
            FlopPerSecond rate;
            for (const cluster::DeviceKind& kind : kinds_) {
                rate = max(rate, fastest(*kind.device, kernel.kind, space_.precision));
            }
            time += space_.framework.slow_down(kernel.kind) * (kernel.times * kernel.flops / rate);
        }
        return time;
    }

    const std::vector<cluster::DeviceKind>& kinds_;
    const Space& space_;
};

/// As it is trained: weights may be kept in the master copy alone by some profile, so no more than that is claimed.
Bytes kept(const graph::Graph& graph, const Space& space) {
    const TrainingBytes bytes = training_bytes(space.precision);
    const plan::Optimizer& optimizer = plan::optimizer(space.optimizer);
    Bytes all;
    for (const graph::Vertex v : graph.order) {
        const graph::Layer& layer = graph.layer(v);
        for (const graph::Weight& weight : layer.nest.weights) {
            if (!weight.tied_to.empty()) {
                continue;
            }
            const double elements = static_cast<double>(graph.instances(v)) * weight.elements();
            const plan::WeightSize size{.elements = elements, .rows = 0, .factors = 0, .touched = weight.touched};
            all += space.offload.weights ? Bytes{} : elements * bytes.weight;
            all += layer.frozen || space.offload.optimizer ? Bytes{} : kept_bytes(optimizer, size, bytes);
        }
    }
    return all;
}

}  // namespace

bool Bound::may_fit(std::int64_t devices) const {
    return (1 - kSlack) * least_memory <= static_cast<double>(devices) * memory_of_one;
}

double Bound::most_samples_per_second(std::int64_t devices) const {
    const double sample = least_sample.in(unit::second);
    return sample > 0 ? (1 + kSlack) * static_cast<double>(devices) / sample : std::numeric_limits<double>::infinity();
}

Bound bound(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space) {
    const std::vector<cluster::DeviceKind> kinds = cluster.device_kinds(cluster.devices());
    Bound bound;
    for (const cluster::DeviceKind& kind : kinds) {
        const Bytes offered = (1 - cluster.memory_reserve) * kind.device->memory;
        const Bytes limit = space.max_memory ? min(*space.max_memory, offered) : offered;
        bound.memory_of_one = max(bound.memory_of_one, max(limit - kind.device->context, Bytes{}));
    }
    bound.least_memory = kept(graph, space);
    if (was_measured(graph, cluster, kinds)) {
        return bound;
    }
    const OfOneSample sample(kinds, space);
    for (const graph::Vertex v : graph.order) {
        bound.least_sample += static_cast<double>(graph.instances(v)) * sample.of(graph.layer(v));
    }
    return bound;
}

}  // namespace dodona::search
