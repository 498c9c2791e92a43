// The device mesh: named axes over atomic axes.
//
// A fold (an axis that uses ranks of others) or a sharding group splits an axis into factors, the atoms. A named axis
// is a set of atoms, so names may overlap, and every sharding is over atoms. Within a dimension atoms nest in mesh
// order, the outermost coarsest, so a set determines the sharding and conversions never permute shards.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/short_vector.hpp"
#include "cluster/cluster.hpp"
#include "plan/plan.hpp"

namespace dodona::plan {

/// A set of atoms, one bit each.
using Atoms = std::uint32_t;

/// By loop of a nest, or by dimension of a tensor.
using AtomList = ShortVector<Atoms, 8>;

class Mesh {
public:
    /// Throws InputError at `where` if folds and groups of ranks do not fit the sizes of the axes.
    Mesh(const Plan& plan, const Location& where);
    /// The mesh of a plan; none if folds and sharding group do not fit.
    static std::optional<Mesh> of(const Plan& plan);
    /// Why folds and sharding group do not fit, and what to do about it; none if they fit.
    struct Fault {
        std::string message;
        std::string help;
    };
    static std::optional<Fault> fault_of(const Plan& plan);

    [[nodiscard]] std::int64_t devices() const { return devices_; }
    /// Atoms of a named axis; empty for an axis that the mesh does not have (size 1).
    [[nodiscard]] Atoms axis(const std::string& name) const;
    [[nodiscard]] Atoms axes(const std::vector<std::string>& names) const;
    /// The atoms of `of` that are in the sharding group; all of them without a group.
    [[nodiscard]] Atoms shard_atoms(Atoms of) const;
    /// The atoms of `of` over which backward gathers weights: those of Plan::gather_group, or all of them.
    [[nodiscard]] Atoms gather_atoms(Atoms of) const;
    [[nodiscard]] Atoms all() const { return atoms_.empty() ? 0 : ~Atoms{0} >> (32 - atoms_.size()); }
    /// Product of the atoms' sizes.
    [[nodiscard]] std::int64_t ways(Atoms atoms) const;
    /// The process group of ranks that differ only in these atoms.
    [[nodiscard]] cluster::Group group(Atoms atoms) const;
    /// Translates atoms of `coarse`, the same mesh split into fewer atoms, to atoms of this mesh.
    [[nodiscard]] Atoms refined(const Mesh& coarse, Atoms atoms) const;
    /// Names of the mesh axes that these atoms belong to, in mesh order.
    [[nodiscard]] std::vector<std::string> names(Atoms atoms) const;

private:
    struct Atom {
        std::string axis;
        std::int64_t size = 1;
        std::int64_t stride = 1;
    };
    Mesh() = default;
    std::optional<Fault> lay_out(const Plan& plan);
    /// Atoms of `of`, innermost first, whose sizes divide what is left, which they are taken from.
    Atoms take(Atoms of, std::int64_t& left) const;

    std::vector<Atom> atoms_;
    std::map<std::string, Atoms> axes_;
    std::vector<std::string> order_;
    std::int64_t devices_ = 1;
    std::int64_t shard_group_ = 0;
    std::int64_t gather_group_ = 0;
};

}  // namespace dodona::plan
