#include "calibrate/cases/model_cases.hpp"

#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cost/device_time.hpp"

namespace dodona::calibrate {

namespace {

using graph::Direction;
using graph::Kernel;
using graph::KernelKind;
using graph::Layer;

std::string crossed(const std::vector<std::int64_t>& extents) { return fmt::format("{}", fmt::join(extents, "x")); }

double whole(double extent) { return std::max(1.0, std::round(extent)); }

/// What a window does along the image, as words of a case.
struct Image {
    std::vector<std::int64_t> input, window, stride, pad, dilation;

    void into(Case& of) const {
        of.parameters["input"] = crossed(input);
        of.parameters["window"] = crossed(window);
        of.parameters["stride"] = crossed(stride);
        of.parameters["pad"] = crossed(pad);
        of.parameters["dilation"] = crossed(dilation);
    }
};

bool is_primitive(const graph::Work& work) {
    return !work.forward.empty() && work.forward.front().primitive != graph::Primitive::none;
}

Case begun_case(const char* benchmark, Direction direction, Precision precision) {
    return {.benchmark = benchmark,
            .parameters = {{"precision", std::string(name(precision))}, {"direction", std::string(name(direction))}}};
}

class ModelCaseList {
public:
    ModelCaseList(const graph::Graph& graph, Precision precision) : graph_(graph), precision_(precision) {}

    void add(graph::Vertex v, const plan::ShardedLayer& sharded) {
        const Layer& layer = graph_.layer(v);
        const graph::Work work = plan::work_of(layer, sharded.local);
        if (is_primitive(work)) {
            add_primitive(v, sharded, work);
            return;
        }
        add(v, sharded, work.forward, Direction::forward);
        if (layer.input_gradient) {
            add(v, sharded, work.backward_input, Direction::backward_input);
        }
        if (!layer.frozen) {
            add(v, sharded, work.backward_weight, Direction::backward_weight);
        }
    }
    ModelCases finish() { return std::move(found_); }

private:
    void keep(Case of) {
        if (seen_.insert(of.key()).second) {
            found_.cases.push_back(std::move(of));
        }
    }

    [[nodiscard]] Case begun(const char* benchmark, Direction direction) const {
        return begun_case(benchmark, direction, precision_);
    }

    void carry(Case& of, const Kernel& kernel) const {
        of.parameters["moved"] = cost::moved_bytes(kernel, precision_).in(unit::byte);
        of.parameters["flops"] = kernel.flops.in(unit::flop);
    }

    void add(graph::Vertex v, const plan::ShardedLayer& sharded, const std::vector<Kernel>& kernels,
             Direction direction) {
        bool left_out = false;
        for (const Kernel& kernel : kernels) {
            Case of = begun("", direction);
            switch (kernel.kind) {
                case KernelKind::matmul:
                case KernelKind::recurrent: of = product_case(kernel, direction, precision_); break;
                case KernelKind::attention: attention(of, kernel); break;
                case KernelKind::convolution: left_out = !convolution(of, v, sharded) || left_out; break;
                case KernelKind::gather: gather(of, kernel); break;
                case KernelKind::stream: continue;
            }
            if (!of.benchmark.empty()) {
                keep(std::move(of));
            }
        }
        found_.without_case[graph_.layer(v).kind] += left_out ? 1 : 0;
        if (found_.without_case[graph_.layer(v).kind] == 0) {
            found_.without_case.erase(graph_.layer(v).kind);
        }
    }

    void attention(Case& of, const Kernel& kernel) const {
        of.benchmark = "attention";
        of.parameters["batch"] = 1.0;
        of.parameters["heads"] = kernel.batch;
        of.parameters["queries"] = kernel.m;
        of.parameters["keys"] = kernel.n;
        of.parameters["head"] = kernel.k;
        of.parameters["causal"] = kernel.causal ? 1.0 : 0.0;
        carry(of, kernel);
    }

    void gather(Case& of, const Kernel& kernel) const {
        if (kernel.k < 1) {
            return;  // of no table of weights
        }
        of.benchmark = "gather";
        of.parameters["rows"] = std::floor(kernel.k);
        of.parameters["width"] = kernel.n;
        of.parameters["lookups"] = whole(kernel.m);
        carry(of, kernel);
    }

    /// The window of the layer's input along its image; none where there is none.
    [[nodiscard]] std::optional<Image> image(graph::Vertex v, const plan::ShardedLayer& sharded) const {
        const Layer& layer = graph_.layer(v);
        if (layer.nest.inputs.empty() || layer.nest.inputs.front().windows.empty()) {
            return std::nullopt;
        }
        const graph::Operand& in = layer.nest.inputs.front();
        if (layer.producers.empty()) {
            return std::nullopt;
        }
        const graph::Tensor& x = graph_.layer(layer.producers.front()).nest.result;
        Image image;
        for (std::size_t d = 0; d < in.windows.size(); ++d) {
            if (!in.windows[d]) {
                continue;
            }
            const graph::Window& window = *in.windows[d];
            const double whole_out =
                static_cast<double>(layer.nest.loops[static_cast<std::size_t>(in.loops[d])].extent);
            const double local_out = sharded.local[in.loops[d]];
            const double share = local_out / whole_out;
            const auto input = static_cast<double>(x.dimensions[d].extent);
            image.input.push_back(static_cast<std::int64_t>(whole(input * share)));
            image.window.push_back(window.kernel);
            image.stride.push_back(window.stride);
            image.pad.push_back(window.pad);
            image.dilation.push_back(window.dilation);
        }
        return image.input.empty() ? std::nullopt : std::optional(image);
    }

    bool convolution(Case& of, graph::Vertex v, const plan::ShardedLayer& sharded) const {
        const auto found = image(v, sharded);
        if (!found) {
            return false;  // a transposed convolution: its window is on the output
        }
        double area = 1;
        for (const std::int64_t extent : found->window) {
            area *= static_cast<double>(extent);
        }
        const Kernel forward = plan::work_of(graph_.layer(v), sharded.local).forward.front();
        of.benchmark = "convolution";
        of.parameters["images"] = sharded.local[graph::kBatch];
        of.parameters["groups"] = forward.batch;
        of.parameters["channels"] = forward.batch * forward.k / area;
        of.parameters["filters"] = forward.batch * forward.n;
        of.parameters["layout"] = std::string("nchw");
        found->into(of);
        return true;
    }

    /// A primitive's forward pass and its whole backward pass.
    void add_primitive(graph::Vertex v, const plan::ShardedLayer& sharded, const graph::Work& work) {
        const Layer& layer = graph_.layer(v);
        for (const Direction direction : {Direction::forward, Direction::backward_input}) {
            const bool forward = direction == Direction::forward;
            const auto& kernels = forward ? work.forward : work.backward_input;
            const auto& weights = work.backward_weight;
            if (kernels.empty() || (!forward && !layer.input_gradient)) {
                continue;
            }
            Case of = begun("operator", direction);
            of.parameters["operator"] = std::string(name(kernels.front().primitive));
            shape(of, v, sharded);
            carry(of, kernels.front());
            if (!forward && !weights.empty() && !layer.frozen) {
                of.parameters["weight_moved"] = cost::moved_bytes(weights.front(), precision_).in(unit::byte);
                of.parameters["weight_flops"] = weights.front().flops.in(unit::flop);
            }
            keep(std::move(of));
        }
    }

    /// Images where the result is one; rows and columns for all others.
    void shape(Case& of, graph::Vertex v, const plan::ShardedLayer& sharded) const {
        const Layer& layer = graph_.layer(v);
        const auto& dimensions = layer.nest.result.dimensions;
        const auto& loops = layer.nest.output.loops;
        std::vector<std::int64_t> extents;
        for (std::size_t d = 0; d < dimensions.size(); ++d) {
            const double local = d < loops.size() && loops[d] != graph::kNoLoop
                                     ? sharded.local[loops[d]]
                                     : static_cast<double>(dimensions[d].extent);
            extents.push_back(static_cast<std::int64_t>(whole(local)));
        }
        const bool of_image = dimensions.size() > 2 && dimensions[1].name == "channel";
        if (!of_image) {
            double rows = 1;
            for (std::size_t d = 0; d + 1 < extents.size(); ++d) {
                rows *= static_cast<double>(extents[d]);
            }
            of.parameters["rows"] = rows;
            of.parameters["columns"] = static_cast<double>(extents.back());
            return;
        }
        of.parameters["images"] = static_cast<double>(extents[0]);
        of.parameters["channels"] = static_cast<double>(extents[1]);
        if (const auto window = image(v, sharded)) {
            window->into(of);
        } else {
            of.parameters["input"] = crossed({extents.begin() + 2, extents.end()});
        }
    }

    const graph::Graph& graph_;
    Precision precision_;
    ModelCases found_;
    std::set<std::string> seen_;
};

}  // namespace

Case product_case(const Kernel& kernel, Direction direction, Precision precision) {
    const bool recurrent = kernel.kind == KernelKind::recurrent;
    Case of = begun_case(recurrent ? "recurrent" : "matmul", direction, precision);
    of.parameters[recurrent ? "samples" : "m"] = kernel.m;
    of.parameters[recurrent ? "gates" : "n"] = kernel.n;
    of.parameters[recurrent ? "inputs" : "k"] = kernel.k;
    of.parameters[recurrent ? "cells" : "batch"] = recurrent ? whole(kernel.batch) : kernel.batch;
    return of;
}

ModelCases model_cases(const graph::Graph& graph, const plan::ShardedGraph& sharded, Precision precision) {
    ModelCaseList cases(graph, precision);
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        cases.add(v, sharded.layers[v]);
    }
    return cases.finish();
}

}  // namespace dodona::calibrate
