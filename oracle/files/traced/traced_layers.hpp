// The layers of a traced graph, as entries of a model file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "files/traced/traced_graph.hpp"

namespace dodona::files {

struct TracedDimension {
    std::string name;
    std::int64_t extent = 1;
    std::string symbol = {};  ///< of an input: the parameter that the extent is
    bool operator==(const TracedDimension&) const = default;
};

struct TracedLayer {
    std::string name;
    std::string op;  ///< empty: an input of the network
    std::vector<std::pair<std::string, std::string>> attributes;
    std::vector<std::size_t> from;        ///< layers before it
    std::vector<TracedDimension> result;  ///< beside the batch
    bool is_index = false;

    [[nodiscard]] bool is_input() const { return op.empty(); }
};

struct TracedLayers {
    std::vector<TracedLayer> layers;  ///< inputs first, each after those that it reads
    std::vector<std::string> taken;   ///< "Clip as relu": operators that are taken as others
    std::int64_t left_out = 0;        ///< passes with a constant that no layer is of
    bool has_attention = false;
    std::int64_t parameters = 0;  ///< learnt numbers that the layers have
};

/// `graph` is fused. The network's results that no loss is in get one. Throws InputError, with the node, for what no
/// layer does.
TracedLayers layers_of(const TracedGraph& graph);

}  // namespace dodona::files
