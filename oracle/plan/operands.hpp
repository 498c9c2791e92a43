// Operands of a loop nest whose loops are laid on axes: shardings, partial sums, local extents, halos.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.hpp"
#include "plan/halo.hpp"
#include "plan/mesh.hpp"
#include "plan/shard.hpp"
#include "plan/sharding.hpp"

namespace dodona::plan {

/// The window that slides along a dimension of an operand; null if there is none.
const graph::Window* window_of(const graph::Operand& operand, std::size_t dimension);

/// The dimension of an operand that a loop indexes.
std::optional<std::size_t> dimension_of(const graph::Operand& operand, int loop);

/// The sharding of an operand; `loops`: atoms of each loop. Never partial.
Sharding operand_sharding(const graph::Operand& operand, const AtomList& loops);

/// Whether a layer that follows its input may keep this dimension split: no window slides over it and no statistic
/// reduces it.
bool passes_through(const graph::Nest& nest, const graph::Operand& operand, std::size_t dimension);

/// Divisions of the dimensions of the result; `batch`: samples of one pass over all data ranks.
std::vector<Division> result_divisions(const graph::Nest& nest, double batch);

/// Samples of a layer on one device.
double local_samples(const graph::Nest& nest, const Mesh& mesh, const AtomList& loops, double batch);

graph::LocalExtents local_extents(const graph::Nest& nest, const Mesh& mesh, const AtomList& loops, double batch);

/// Atoms over which Y is a partial sum: those of loops in an input or weight and not in the output. Loops of a
/// statistic are reduced by the statistic instead.
Atoms partial_result(const graph::Nest& nest, const AtomList& loops);

/// Atoms over which dX of input `i` is a partial sum: those of loops in Y, a weight or another input that are not in X.
Atoms partial_input_gradient(const graph::Nest& nest, std::size_t i, const AtomList& loops);

/// The matrices of a whole weight.
Matrices matrices_of(const graph::Weight& weight);

/// One weight on one device. dW is a partial sum over the atoms of loops in Y, or in X, that are not in W. Loops that X
/// shares only with another weight (the contracted feature, for a bias) do not count.
WeightShard weight_shard(const graph::Nest& nest, const graph::Weight& weight, const Mesh& mesh, const AtomList& loops);

/// Turns an all-gather over atoms of `streams`, or the reverse reduce-scatter, into blocks that go round a ring and
/// overlap with the layer's compute.
void send_round(const Mesh& mesh, Atoms streams, LayerTransfer& transfer);
/// Elements of a weight's shard that one micro-batch touches: the rows that its samples look up in this shard. Domain:
/// look-ups spread evenly over the table. 0 for a weight that is read whole, or whose gradient is.
double touched_elements(const graph::Nest& nest, const graph::Weight& weight, double elements,
                        const graph::LocalExtents& local);

struct HaloExchange {
    Transfer transfer;
    Phase phase = Phase::forward;
    bool too_wide = false;
};

/// Halo exchanges of one input: X forward, dY backward. Dimensions are exchanged one after the other, so later
/// exchanges include the rows received before (the corners).
std::vector<HaloExchange> halo_exchanges(const graph::Nest& nest, std::size_t input, const graph::Tensor& x,
                                         const Mesh& mesh, const AtomList& loops, double batch);

}  // namespace dodona::plan
