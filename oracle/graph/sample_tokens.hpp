// Tokens of one sample, by which throughput is counted.
#pragma once

#include <algorithm>
#include <optional>

#include "graph/graph.hpp"

namespace dodona::graph {

/// Positions of the first input of token ids; where the loss has more, such as those of images that are put before the
/// text, its positions. None where a network reads no token ids.
inline std::optional<Extent> sample_tokens(const Graph& graph) {
    std::optional<Extent> tokens;
    Extent of_loss = 0;
    for (const Layer& layer : graph.layers) {
        const Nest& nest = layer.nest;
        const auto sequence = nest.result.find("sequence");
        if (!tokens && nest.inputs.empty() && nest.result.element == Element::index && sequence) {
            tokens = nest.result.dimensions[*sequence].extent;
        }
        const auto loop =
            std::find_if(nest.loops.begin(), nest.loops.end(), [](const Loop& l) { return l.name == "sequence"; });
        if (layer.consumers.empty() && loop != nest.loops.end()) {  // a loss
            of_loss = std::max(of_loss, loop->extent);
        }
    }
    return tokens ? std::optional(std::max(*tokens, of_loss)) : std::nullopt;
}

/// Tokens of one sample; zero for a network without them. The first input says what a sample is: others may be targets, such as the boxes of a detector.
inline double tokens_a_sample(const Graph& graph) {
    const Tensor& sample = graph.layers.front().nest.result;
    const auto sequence = sample.find("sequence");
    if (!sequence) {
        return 0;
    }
    return static_cast<double>(sample_tokens(graph).value_or(sample.dimensions[*sequence].extent));
}

}  // namespace dodona::graph
