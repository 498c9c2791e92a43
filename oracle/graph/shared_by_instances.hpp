// What the instances of a repeated block read from outside: their input, which each passes to the next, and tensors that
// all of them read as they are, such as the encoded source in a decoder.
#pragma once

#include <algorithm>

#include "graph/graph.hpp"

namespace dodona::graph {

/// Whether all instances of a repeated block read the tensor: it comes from before the instance before the reader.
inline bool is_shared_by_instances(const Graph& graph, Vertex tensor) {
    const Layer& producer = graph.layer(tensor);
    return std::any_of(producer.consumers.begin(), producer.consumers.end(), [&](Vertex consumer) {
        const std::size_t reader = graph.layer(consumer).segment;
        return reader > producer.segment + 1 && graph.segments[reader].is_block() &&
               graph.segments[reader - 1].block == graph.segments[reader].block;
    });
}

}  // namespace dodona::graph
