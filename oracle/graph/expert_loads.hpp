// How unevenly experts are used, as it was measured.
//
//   fullest(p) = mean over layers of (E / ceil(E / p)) max over ranks of sum over its experts of load / sum of all loads
//
// E experts lie in order on p ranks, ceil(E / p) on each but the last: the times of the fullest rank add up over layers.
// Not modelled: experts that are placed by their load, or copied.
// Source of the placement: Megatron-LM, megatron/core/transformer/moe/moe_layer.py, local_expert_indices.
#pragma once

#include <vector>

#include "graph/graph.hpp"

namespace dodona::graph {

/// Tokens of each expert, of one or more layers; rows of one length, none all zero.
using ExpertLoads = std::vector<std::vector<double>>;

/// Largest over mean shard by number of ranks, from 1 to the number of experts.
std::vector<double> fullest_ranks(const ExpertLoads& loads);

/// Experts of a network's mixtures of so many; `even`: all mixtures have a capacity, so that their loads are alike.
enum class LoadsTaken { taken, even, other_number };

/// Gives all mixtures of that many experts these loads, instead of their imbalance.
LoadsTaken take_loads(Graph& graph, const ExpertLoads& loads);

}  // namespace dodona::graph
