#include "step/layer_times.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>

namespace dodona::step {

using graph::Kernel;
using graph::Vertex;

namespace {

/// Arithmetic of one sample's matrix products, forward and backward, on one device.
Flop whole_arithmetic(const graph::Graph& graph) {
    Flop total;
    for (Vertex v = 0; v < graph.layers.size(); ++v) {
        const graph::Layer& layer = graph.layer(v);
        if (!layer.nest.work) {
            continue;
        }
        const graph::Work work = layer.nest.work(layer.nest.whole());
        const auto add = [&](const std::vector<Kernel>& kernels) {
            for (const Kernel& kernel : kernels) {
                total +=
                    is_product(kernel) ? static_cast<double>(graph.instances(v)) * kernel.times * kernel.flops : Flop{};
            }
        };
        add(work.forward);
        if (!layer.frozen) {
            add(work.backward_weight);
        }
        if (layer.input_gradient) {
            add(work.backward_input);
        }
    }
    return total;
}

bool reads_tokens(const graph::Graph& graph) {
    return std::any_of(graph.layers.begin(), graph.layers.end(), [](const graph::Layer& layer) {
        return layer.nest.inputs.empty() && layer.nest.result.element == graph::Element::index;
    });
}

/// By vertex: the same number for layers whose kernels are the same on equal extents.
std::vector<std::size_t> alike(const graph::Graph& graph) {
    std::vector<std::size_t> numbers;
    std::map<std::tuple<std::size_t, bool, bool, bool, bool>, std::size_t> known;
    std::size_t next = 0;
    for (const graph::Layer& layer : graph.layers) {
        const bool in_block = graph.segments[layer.segment].is_block();
        const std::tuple key(layer.nest_number, layer.frozen, layer.input_gradient, layer.trains(), in_block);
        const auto [found, fresh] = known.try_emplace(key, next);
        const bool is_alone = fresh || layer.nest_number == 0;
        numbers.push_back(is_alone ? next : found->second);
        next += is_alone ? 1 : 0;
    }
    return numbers;
}

}  // namespace

bool compares_samples(const graph::Nest& nest) {
    return std::any_of(nest.recurrences.begin(), nest.recurrences.end(),
                       [](const graph::Recurrence& recurrence) { return recurrence.loop == graph::kBatch; });
}

std::size_t LayerTimes::Hash::operator()(const KeyView& key) const {
    std::uint64_t hash = (key.pass.adds_gradients ? 1U : 0U) + (key.pass.repeated ? 2U : 0U) +
                         4 * static_cast<std::uint64_t>(key.local.order);
    const auto mix = [&hash](double value) {
        hash = (hash ^ static_cast<std::uint64_t>(std::hash<double>{}(value))) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
    };
    std::for_each(key.local.loops.begin(), key.local.loops.end(), mix);
    std::for_each(key.local.ways.begin() + static_cast<std::ptrdiff_t>(key.first_ways), key.local.ways.end(), mix);
    return static_cast<std::size_t>(hash);
}

bool LayerTimes::Equal::same(const KeyView& a, const KeyView& b) {
    const auto ways = [](const KeyView& key) {
        return key.local.ways.begin() + static_cast<std::ptrdiff_t>(key.first_ways);
    };
    return a.local.loops == b.local.loops && std::equal(ways(a), a.local.ways.end(), ways(b), b.local.ways.end()) &&
           a.local.order == b.local.order && a.pass.adds_gradients == b.pass.adds_gradients &&
           a.pass.repeated == b.pass.repeated;
}

LayerTimes::LayerTimes(const graph::Graph& graph, const cluster::Device& device, const plan::Plan& plan)
    : graph_(graph),
      device_(device),
      counts_(graph::count(graph)),
      whole_executed_(whole_arithmetic(graph)),
      is_of_tokens_(reads_tokens(graph)),
      known_of_(alike(graph)),
      known_(known_of_.empty() ? 0 : *std::max_element(known_of_.begin(), known_of_.end()) + 1) {
    plan_.precision = plan.precision;
    plan_.gradient_precision = plan.gradient_precision;
    plan_.framework = plan.framework;
    for (Vertex v = 0; v < graph.layers.size(); ++v) {
        known_[known_of_[v]].first_ways = compares_samples(graph.layer(v).nest) ? graph::kBatch : graph::kBatch + 1;
    }
}

const LayerCost& LayerTimes::of(Vertex v, const graph::LocalExtents& local, Pass pass) {
    Known& known = known_[known_of_[v]];
    const std::scoped_lock lock(known.mutex);
    const auto found = known.costs.find(KeyView(local, pass, known.first_ways));
    if (found != known.costs.end()) {
        return found->second;
    }
    return known.costs.emplace(Key{local, pass, known.first_ways}, cost(v, local, pass)).first->second;
}

LayerCost LayerTimes::cost(Vertex v, const graph::LocalExtents& local, Pass pass) const {
    const graph::Layer& layer = graph_.layer(v);
    const graph::Work work = plan::work_of(layer, local);
    const bool in_block = graph_.segments[layer.segment].is_block();
    KernelCost kernels(device_, plan_, pass.adds_gradients);
    LayerCost cost;
    cost.forward = kernels.with_casts(work.forward, in_block, !layer.frozen);
    if (!layer.frozen) {
        cost.backward = kernels.into_gradients(work.backward_weight, in_block);
    }
    if (layer.input_gradient) {
        cost.backward += kernels.with_casts(work.backward_input, in_block, !layer.frozen);
    }
    if (layer.goes_backward() && pass.repeated) {
        cost.selective = kernels.alone(work.forward, in_block);
    } else if (layer.goes_backward() && layer.nest.selective_work) {
        cost.selective = kernels.alone(layer.nest.selective_work(local), in_block);
    }
    cost.evidence = kernels.evidence();
    return cost;
}

}  // namespace dodona::step
