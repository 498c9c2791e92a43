#include "threads/operator_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/diagnostic.hpp"

namespace dodona::threads {

namespace {

using graph::Kernel;
using graph::Vertex;

/// The kernels of a layer with a recurrence: products of the first layer and of later ones with what they read, and
/// the steps.
struct Stack {
    std::vector<Kernel> first;
    std::vector<Kernel> later;
    Kernel step;
    std::size_t layers = 1;
    std::size_t directions = 1;
    std::size_t steps = 1;
};

std::size_t whole(double value) { return static_cast<std::size_t>(std::llround(value)); }

Stack stack_of(const graph::Layer& layer, const std::vector<Kernel>& kernels) {
    const graph::Recurrence& recurrence = layer.nest.recurrences.front();
    const graph::Loop& state = layer.nest.loops[static_cast<std::size_t>(recurrence.loop)];
    const graph::Loop& sequence = layer.nest.loops[static_cast<std::size_t>(layer.nest.loop("sequence"))];
    Stack stack;
    stack.steps = static_cast<std::size_t>(sequence.extent);
    stack.directions = static_cast<std::size_t>(layer.nest.result.dimensions.back().extent / state.extent);
    stack.layers = whole(recurrence.steps) / (stack.steps * stack.directions);
    bool after = false;
    for (const Kernel& kernel : kernels) {
        if (kernel.kind == graph::KernelKind::recurrent) {
            stack.step = kernel;
            after = true;
        } else {
            (after ? stack.later : stack.first).push_back(kernel);
        }
    }
    return stack;
}

/// What one cell runs: its own share of the products with what it reads, and of a step.
std::vector<Kernel> cell_kernels(const Stack& stack, bool first) {
    std::vector<Kernel> kernels;
    for (const Kernel& kernel : first ? stack.first : stack.later) {
        const auto steps = static_cast<double>(stack.steps);
        const auto directions = static_cast<double>(stack.directions);
        kernels.push_back(graph::matmul(kernel.m / steps, kernel.n / directions, kernel.k));
    }
    Kernel step = stack.step;
    step.flops = step.flops / step.batch;
    step.elements /= step.batch;
    step.fixed_bytes = step.fixed_bytes / step.batch;
    step.batch = 1;
    step.times = 1;
    kernels.push_back(step);
    return kernels;
}

using Ends = std::vector<std::size_t>;  ///< operators after which a tensor is there

/// A network that is being written out.
struct Written {
    const graph::Graph& network;
    double samples = 1;
    std::vector<Ends> ends;                            ///< of each layer's latest instance
    std::vector<std::map<bool, std::size_t>> kind_of;  ///< of each layer, and of its cells above the first layer
    OperatorGraph operators;
};

std::size_t kind(Written& written, Vertex v, bool later, const std::vector<Kernel>& kernels) {
    std::vector<OperatorKind>& kinds = written.operators.kinds;
    const auto [place, is_new] = written.kind_of[v].try_emplace(later, kinds.size());
    if (is_new) {
        kinds.push_back({written.network.layer(v).name, kernels});
    }
    return place->second;
}

std::size_t add(Written& written, std::size_t kind, Ends after) {
    std::vector<Operator>& operators = written.operators.operators;
    if (operators.size() == kMaxOperators) {
        fail({},
             fmt::format("{} has more than {} operators once it is written out", written.network.name, kMaxOperators),
             "a network with fewer layers or steps");
    }
    operators.push_back({kind, std::move(after)});
    return operators.size() - 1;
}

Ends add_cells(Written& written, Vertex v, const Stack& stack, const Ends& after) {
    const bool both = stack.directions > 1;
    Ends below = after;  // of the layer below, by step, or its ends
    for (std::size_t layer = 0; layer < stack.layers; ++layer) {
        const std::size_t of_kind = kind(written, v, layer > 0, cell_kernels(stack, layer == 0));
        Ends cells;
        Ends last;
        for (std::size_t direction = 0; direction < stack.directions; ++direction) {
            for (std::size_t step = 0; step < stack.steps; ++step) {
                Ends waits = step > 0 ? Ends{cells.back()} : Ends{};
                if (layer > 0 && !both) {
                    waits.push_back(below[step]);
                } else if (step == 0) {
                    waits = below;
                }
                cells.push_back(add(written, of_kind, std::move(waits)));
            }
            last.push_back(cells.back());
        }
        below = both || layer + 1 == stack.layers ? last : cells;
    }
    return below;
}

/// None of a layer that computes nothing.
std::vector<Kernel> forward_kernels(const graph::Layer& layer, double samples) {
    if (layer.kind == graph::kNetworkInput || !layer.nest.work) {
        return {};
    }
    graph::LocalExtents local = layer.nest.whole();
    local.loops.front() = samples;
    return layer.nest.work(local).forward;
}

bool has_cells(const graph::Layer& layer, const std::vector<Kernel>& kernels) {
    const bool steps = std::any_of(kernels.begin(), kernels.end(),
                                   [](const Kernel& kernel) { return kernel.kind == graph::KernelKind::recurrent; });
    return steps && layer.count == 1 && !layer.nest.recurrences.empty() &&
           layer.nest.loop("sequence") != graph::kNoLoop;
}

Ends add_layer(Written& written, Vertex v, Ends after) {
    const graph::Layer& layer = written.network.layer(v);
    std::vector<Kernel> kernels = forward_kernels(layer, written.samples);
    if (kernels.empty()) {
        return after;
    }
    if (has_cells(layer, kernels)) {
        return add_cells(written, v, stack_of(layer, kernels), after);
    }
    for (Kernel& kernel : kernels) {
        kernel.times *= static_cast<double>(layer.count);
    }
    return {add(written, kind(written, v, false, kernels), std::move(after))};
}

/// `later`: not the first instance of its segment, so that it reads what the one before has made.
void add_instance(Written& written, const graph::Segment& segment, bool later) {
    const Ends before = later ? written.ends[segment.layers.back()] : Ends{};
    for (const Vertex v : segment.layers) {
        const graph::Layer& layer = written.network.layer(v);
        Ends after;
        for (const Vertex producer : layer.producers) {
            const bool passed = later && written.network.layer(producer).segment + 1 == layer.segment;
            const Ends& of = passed ? before : written.ends[producer];
            after.insert(after.end(), of.begin(), of.end());
        }
        std::sort(after.begin(), after.end());
        after.erase(std::unique(after.begin(), after.end()), after.end());
        written.ends[v] = add_layer(written, v, std::move(after));
    }
}

}  // namespace

std::vector<std::size_t> OperatorGraph::depths() const {
    std::vector<std::size_t> depths;
    for (const Operator& one : operators) {
        std::size_t depth = 0;
        for (const std::size_t before : one.after) {
            depth = std::max(depth, depths[before] + 1);
        }
        depths.push_back(depth);
    }
    return depths;
}

std::vector<std::int64_t> OperatorGraph::widths() const {
    std::vector<std::int64_t> widths;
    for (const std::size_t depth : depths()) {
        widths.resize(std::max(widths.size(), depth + 1));
        ++widths[depth];
    }
    return widths;
}

double OperatorGraph::average_width() const {
    return static_cast<double>(operators.size()) / static_cast<double>(widths().size());
}

std::vector<Kernel> cell_kernels(const graph::Graph& graph, double samples) {
    std::vector<Kernel> all;
    for (const graph::Layer& layer : graph.layers) {
        const std::vector<Kernel> kernels = forward_kernels(layer, samples);
        if (!has_cells(layer, kernels)) {
            continue;
        }
        const Stack stack = stack_of(layer, kernels);
        for (const bool first : {true, false}) {
            const std::vector<Kernel> cell = cell_kernels(stack, first);
            all.insert(all.end(), cell.begin(), cell.end());
        }
    }
    return all;
}

OperatorGraph operator_graph(const graph::Graph& graph, double samples) {
    const std::size_t layers = graph.layers.size();
    Written written{.network = graph,
                    .samples = samples,
                    .ends = std::vector<Ends>(layers),
                    .kind_of = std::vector<std::map<bool, std::size_t>>(layers)};
    for (const graph::Segment& segment : graph.segments) {
        for (std::int64_t instance = 0; instance < segment.count; ++instance) {
            add_instance(written, segment, instance > 0);
        }
    }
    if (written.operators.operators.empty()) {
        fail({}, fmt::format("{} has no operators", graph.name), "a network with layers that compute something");
    }
    return std::move(written.operators);
}

}  // namespace dodona::threads
