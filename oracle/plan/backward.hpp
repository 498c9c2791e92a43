// Conversions of gradients: the mirror image of what the forward pass converts.
#pragma once

#include "plan/shard.hpp"

namespace dodona::plan {

/// For every tensor that needs a gradient: contributions of consumers that arrive alike are added locally and converted
/// once, from the sharding in which they arise to the one in which the producer's backward pass reads dY (its output's
/// dimensions, complete). Appends to the transfers of the first consumer of each group.
void add_gradient_conversions(const graph::Graph& graph, const Mesh& mesh, ShardedGraph& sharded);

}  // namespace dodona::plan
