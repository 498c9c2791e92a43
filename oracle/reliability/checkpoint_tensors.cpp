#include "reliability/checkpoint_tensors.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "plan/operands.hpp"

namespace dodona::reliability {

namespace {

constexpr Bytes kSingle = 4_B;

std::vector<std::int64_t> extents_of(const graph::Weight& weight) {
    return mapped<std::int64_t>(weight.dimensions, &graph::TensorDimension::extent);
}

/// Numbers of an optimizer that factorises: rows and columns of the last two extents, or all of a vector.
std::int64_t factors_of(const std::vector<std::int64_t>& extents) {
    if (extents.size() < 2) {
        return extents.empty() ? 1 : extents.front();
    }
    std::int64_t matrices = 1;
    for (std::size_t i = 0; i + 2 < extents.size(); ++i) {
        matrices *= extents[i];
    }
    return matrices * (extents[extents.size() - 2] + extents.back());
}

std::int64_t rows_of(const std::vector<std::int64_t>& extents) {
    std::int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < extents.size(); ++i) {
        rows *= extents[i];
    }
    return rows;
}

/// Tensors of one instance of a layer.
class LayerTensors {
public:
    LayerTensors(CheckpointContent content, const plan::Optimizer& optimizer, Precision precision)
        : content_(content), optimizer_(optimizer), bytes_(training_bytes(precision)) {}

    std::vector<StoredTensor> of(const graph::Layer& layer, const std::string& prefix) const {
        std::vector<StoredTensor> tensors;
        for (const graph::Weight& weight : layer.nest.weights) {
            if (weight.tied_to.empty()) {
                add(layer, weight, prefix + weight.name, tensors);
            }
        }
        if (layer.nest.buffers > 0) {
            const std::int64_t channels = std::llround(layer.nest.buffers / 2);
            tensors.push_back({prefix + "running_mean", {channels}, kSingle});
            tensors.push_back({prefix + "running_variance", {channels}, kSingle});
        }
        return tensors;
    }

private:
    void add(const graph::Layer& layer, const graph::Weight& weight, const std::string& name,
             std::vector<StoredTensor>& tensors) const {
        const std::vector<std::int64_t> extents = extents_of(weight);
        tensors.push_back({name, extents, bytes_.weight});
        if (content_ == CheckpointContent::weights || !layer.trains()) {
            return;
        }
        const plan::Moments& kept = weight.touched > 0 ? optimizer_.table : optimizer_.dense;
        if (kept.master && bytes_.master > Bytes{}) {
            tensors.push_back({name + ".master", extents, bytes_.master});
        }
        const plan::MatrixUpdate* matrix = optimizer_.hidden && layer.is_hidden(weight) ? &*optimizer_.hidden : nullptr;
        const Bytes per_element = matrix != nullptr ? matrix->per_element : kept.per_element;
        const double slots = per_element / kSingle;
        if (slots > 0 && slots == std::floor(slots)) {
            for (int slot = 0; slot < static_cast<int>(slots); ++slot) {
                tensors.push_back({fmt::format("{}.moment{}", name, slot + 1), extents, kSingle});
            }
        } else if (slots > 0) {
            tensors.push_back({name + ".moments", extents, per_element});
        }
        if (slots == 2) {
            tensors.push_back({name + ".step", {1}, 8_B});
        }
        if (matrix != nullptr && matrix->states != nullptr) {
            const plan::Matrices all = plan::matrices_of(weight);
            const Bytes further = all.count * matrix->states(all.shape);
            tensors.push_back({name + ".matrices", {std::llround(further / kSingle)}, kSingle});
        }
        if (kept.per_factor > Bytes{}) {
            tensors.push_back({name + ".factors", {factors_of(extents)}, kept.per_factor});
        }
        if (kept.per_row > Bytes{}) {
            tensors.push_back({name + ".rows", {rows_of(extents)}, kept.per_row});
        }
    }

    CheckpointContent content_;
    const plan::Optimizer& optimizer_;
    TrainingBytes bytes_;
};

}  // namespace

std::vector<StoredTensor> checkpoint_tensors(const graph::Graph& graph, CheckpointContent content,
                                             const plan::Optimizer& optimizer, Precision precision) {
    const LayerTensors layers(content, optimizer, precision);
    std::vector<StoredTensor> all;
    for (graph::Vertex vertex = 0; vertex < graph.layers.size(); ++vertex) {
        const graph::Layer& layer = graph.layer(vertex);
        const std::int64_t instances = graph.instances(vertex);
        for (std::int64_t instance = 0; instance < instances; ++instance) {
            const std::string prefix =
                instances == 1 ? layer.name + "/" : fmt::format("{}/{}/", layer.name, instance + 1);
            append(all, layers.of(layer, prefix));
        }
    }
    return all;
}

}  // namespace dodona::reliability
