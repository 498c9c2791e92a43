// Shardings of tensors over the mesh and the conversions between them.
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/nest.hpp"
#include "plan/mesh.hpp"
#include "plan/strategy.hpp"

namespace dodona::plan {

/// The sharding of a tensor. It is replicated over atoms that are in no dimension and not partial.
struct Sharding {
    AtomList dimensions;  ///< per tensor dimension: the atoms it is sharded over
    Atoms partial = 0;    ///< atoms over which ranks hold summands of the tensor

    [[nodiscard]] Atoms sharded() const;
    /// The dimension that `atom` shards, or -1.
    [[nodiscard]] int dimension_of(Atoms atom) const;
    std::strong_ordering operator<=>(const Sharding&) const = default;
};

/// Division of one tensor dimension into shards of whole granules; the largest shard counts.
struct Division {
    double extent = 1;
    double granule = 1;
    double density = 1;                 ///< share of the extent that holds data
    double imbalance = 1;               ///< largest over mean shard; a shard is never larger than the whole
    std::span<const double> fullest{};  ///< of the nest (graph::TensorDimension), which outlives it
    graph::Routing routing = {};        ///< of an extent of experts

    /// Extent of the largest shard.
    [[nodiscard]] double local(std::int64_t ways) const;
};

/// Elements of the largest shard. `divisions` has one entry per dimension.
double local_elements(const Mesh& mesh, std::span<const Division> divisions, const Sharding& sharding);

/// One communication that a conversion needs.
struct Transfer {
    cluster::Collective collective = cluster::Collective::all_reduce;
    Atoms atoms = 0;              ///< of its group
    double elements = 0;          ///< of the full buffer: all-reduce buffer, all-gather result, reduce-scatter input,
                                  ///< one rank's buffer of an all-to-all, both neighbours' rows of a halo exchange
    int messages = 1;             ///< halo: neighbours
    graph::Routing routing = {};  ///< all-to-all of tokens to experts or back
    bool to_experts = false;      ///< ... to them: tokens in forward, gradients of their results in backward
};

/// The conversion table. Per atom, from -> to:
///
///   same -> same               nothing
///   replicated -> sharded      slice (nothing is sent)
///   sharded -> replicated      all-gather
///   partial -> replicated      all-reduce
///   partial -> sharded         reduce-scatter (via all_reduce_slice: all-reduce, then slice)
///   sharded i -> sharded j     all-to-all
///
/// Atoms with the same conversion use one collective over their product. Slices come first and gathers last, so every
/// step runs on the smallest tensor. Domain: `to` is partial only where `from` is.
std::vector<Transfer> convert(const Mesh& mesh, std::span<const Division> divisions, const Sharding& from,
                              const Sharding& to, Via via = Via::reduce_scatter);

/// Elements that one rank sends in a conversion; compares candidate shardings.
double sent_elements(const Mesh& mesh, std::span<const Transfer> transfers);

}  // namespace dodona::plan
