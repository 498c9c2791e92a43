// Conversions of gradients between shardings: the reverse of the conversions in the forward pass.
#pragma once

#include <vector>

#include "plan/shard.hpp"
#include "plan/sharding.hpp"

namespace dodona::plan {

/// For every tensor that needs a gradient: contributions of consumers in the same sharding are added locally and
/// converted once, to the sharding in which the producer's backward pass reads dY (that of its output, without partial
/// sums). Appends to the transfers of the first consumer of each group. `divisions`: of the layers' results, by vertex.
void add_gradient_conversions(const graph::Graph& graph, const Mesh& mesh,
                              const std::vector<std::vector<Division>>& divisions, ShardedGraph& sharded);

}  // namespace dodona::plan
