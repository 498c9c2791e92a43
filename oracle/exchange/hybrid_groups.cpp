#include "exchange/hybrid_groups.hpp"

namespace dodona::exchange {

namespace {

constexpr Bytes kThereAndBack = Bytes::of_base(2 * 4);  // of an fp32 element

}  // namespace

Bytes group_volume(const DenseLayer& layer, std::int64_t nodes, std::int64_t batch, std::int64_t groups) {
    const auto n = static_cast<double>(nodes);
    const auto g = static_cast<double>(groups);
    const Bytes activations = groups < nodes ? layer.inputs * static_cast<double>(batch) / g * kThereAndBack : Bytes{};
    const Bytes gradients = groups > 1 ? layer.inputs * layer.outputs * g / n * kThereAndBack : Bytes{};
    return activations + gradients;
}

std::int64_t best_groups(const DenseLayer& layer, std::int64_t nodes, std::int64_t batch) {
    std::int64_t best = 1;
    for (std::int64_t groups = 2; groups <= nodes; ++groups) {
        if (nodes % groups == 0 &&
            group_volume(layer, nodes, batch, groups) <= group_volume(layer, nodes, batch, best)) {
            best = groups;
        }
    }
    return best;
}

double data_parallel_ratio(double node_batch, double positions, double overlap) {
    return 1.5 * node_batch * positions / (2 - overlap);
}

}  // namespace dodona::exchange
