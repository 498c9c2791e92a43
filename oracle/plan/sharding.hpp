// Shardings of tensors over the mesh, and the one table that converts them.
#pragma once

#include <span>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/nest.hpp"
#include "plan/mesh.hpp"
#include "plan/strategy.hpp"

namespace dodona::plan {

/// Where the elements of a tensor are. Atoms in no dimension and not partial hold copies.
struct Sharding {
    std::vector<Atoms> dimensions;  ///< per tensor dimension: the atoms it is sharded over
    Atoms partial = 0;              ///< atoms over which every rank holds one summand

    [[nodiscard]] Atoms sharded() const;
    /// The dimension that `atom` shards, or -1.
    [[nodiscard]] int dimension_of(Atoms atom) const;
    auto operator<=>(const Sharding&) const = default;
};

/// How one dimension of a tensor divides among ways: whole granules, the largest share counts.
struct Division {
    double extent = 1;
    double granule = 1;
    double density = 1;    ///< share of the extent that holds data
    double imbalance = 1;  ///< the fullest shard over the mean; it holds the whole at most

    /// Extent of the largest shard.
    [[nodiscard]] double local(std::int64_t ways) const;
};

/// Elements of the largest shard. `divisions` has one entry per dimension.
double local_elements(const Mesh& mesh, std::span<const Division> divisions, const Sharding& sharding);

/// One communication that a conversion needs.
struct Transfer {
    cluster::Collective collective = cluster::Collective::all_reduce;
    Atoms atoms = 0;      ///< over which it runs
    double elements = 0;  ///< of the full buffer: all-reduce buffer, all-gather result, reduce-scatter input,
                          ///< one rank's buffer of an all-to-all, both neighbours' rows of a halo exchange
    int messages = 1;     ///< halo: neighbours
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
/// Atoms that convert alike do so in one collective over their product. Slices come first and gathers last, so every
/// step runs where the tensor is smallest. `to` must not be partial where `from` is not.
std::vector<Transfer> convert(const Mesh& mesh, std::span<const Division> divisions, const Sharding& from,
                              const Sharding& to, Via via = Via::reduce_scatter);

/// Bytes-free size of a conversion: elements that one rank sends. Orders candidate shardings.
double sent_elements(const Mesh& mesh, std::span<const Transfer> transfers);

}  // namespace dodona::plan
