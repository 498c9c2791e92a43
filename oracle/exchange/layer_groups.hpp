// The layers of a network by how their arithmetic compares with what data parallelism exchanges for them, and for layers
// that multiply features the number of groups of nodes that exchanges least (hybrid_groups.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exchange/hybrid_groups.hpp"
#include "graph/graph.hpp"

namespace dodona::exchange {

struct LayerGroups {
    std::string layer;
    std::int64_t instances = 1;
    double parameters = 0;               ///< of one
    double ratio = 0;                    ///< FLOP per byte under data parallelism, nothing overlapped
    std::optional<std::int64_t> groups;  ///< of layers that multiply features: G*
    Bytes data_volume;                   ///< of a node with as many groups as nodes
    Bytes best_volume;                   ///< with `groups`
};

/// Layers with weights, in their order. Domain: `batch` samples on `nodes` nodes, at least one a node.
std::vector<LayerGroups> layer_groups(const graph::Graph& graph, std::int64_t nodes, std::int64_t batch);

}  // namespace dodona::exchange
