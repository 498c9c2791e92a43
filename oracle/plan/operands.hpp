// Operands of a nest under an assignment of its loops: shardings, partial sums, local extents, halos.
#pragma once

#include <vector>

#include "graph/graph.hpp"
#include "plan/halo.hpp"
#include "plan/mesh.hpp"
#include "plan/shard.hpp"
#include "plan/sharding.hpp"

namespace dodona::plan {

/// The sharding of an operand when its loops lie on `loops`; never partial.
Sharding operand_sharding(const graph::Operand& operand, const std::vector<Atoms>& loops);

/// Whether a follower may keep this dimension of its input split: an unsplit window, no statistic over it.
bool passes_through(const graph::Nest& nest, const graph::Operand& operand, std::size_t dimension);

/// How the dimensions of the result divide; the batch of one pass is `batch` samples over all data ranks.
std::vector<Division> result_divisions(const graph::Nest& nest, double batch);

graph::LocalExtents local_extents(const graph::Nest& nest, const Mesh& mesh, const std::vector<Atoms>& loops,
                                  double batch);

/// The one rule for Y: atoms of loops that are in an input or weight and not in the output. A statistic's loops are
/// reduced by the statistic instead.
Atoms partial_result(const graph::Nest& nest, const std::vector<Atoms>& loops);

/// The one rule for dX of input `i`: atoms of loops in Y, a weight or another input that are not in X.
Atoms partial_input_gradient(const graph::Nest& nest, std::size_t i, const std::vector<Atoms>& loops);

/// One weight on one device. The rule for dW: atoms of loops in Y, or in X and no other weight's contraction, that are
/// not in W. (A loop that X shares with another weight only, such as the contracted feature beside a bias, is summed
/// before W is met.)
WeightShard weight_shard(const graph::Nest& nest, const graph::Weight& weight, const Mesh& mesh,
                         const std::vector<Atoms>& loops);

/// A gather over atoms of `streams`, or its mirror image a reduce-scatter, becomes blocks that go round a ring beside
/// the layer's compute.
void send_round(const Mesh& mesh, Atoms streams, LayerTransfer& transfer);
/// Elements of a weight's shard that one micro-batch touches: the rows of its own samples, and of its own part of all
/// that they look up. Domain: look-ups spread evenly over the table. 0 for a weight that is read whole.
double touched_elements(const graph::Nest& nest, const graph::Weight& weight, double elements,
                        const graph::LocalExtents& local);

struct HaloExchange {
    Transfer transfer;
    Phase phase = Phase::forward;
    bool too_wide = false;
};

/// Halo exchanges of one input: X forward, dY backward. Dimensions exchange one after the other, so that a later one
/// carries the rows that an earlier one brought (the corners).
std::vector<HaloExchange> halo_exchanges(const graph::Nest& nest, std::size_t input, const graph::Tensor& x,
                                         const Mesh& mesh, const std::vector<Atoms>& loops, double batch);

}  // namespace dodona::plan
