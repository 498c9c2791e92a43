// Low-rank adapters beside layers with a weight matrix.
//
//   Y = X W^T + (X A^T) B^T,   A: rank x in, B: out x rank
//
// The layer becomes four: the base, the two factors and their sum, which has the layer's name. Where a strategy splits the
// base by its output features it splits B likewise, and where by its input features, A. Source: Hu et al., LoRA,
// arXiv:2106.09685, section 4.1; the scaling alpha/rank is folded into a factor; no dropout.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/spec.hpp"

namespace dodona::graph {

/// "q" -> "q_base": the layer with the weights of a layer that has an adapter.
std::string base_name(const std::string& layer);

/// Whether an adapter can stand beside the entry: a layer with a matrix of its own.
bool takes_adapter(const Entry& entry);

/// The four layers; `input`: what the entry reads. Domain: takes_adapter(layer), rank > 0.
std::vector<Entry> with_adapter(const Entry& layer, const std::string& input, std::int64_t rank);

}  // namespace dodona::graph
