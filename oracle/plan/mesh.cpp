#include "plan/mesh.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::plan {

namespace {

/// For each axis the sizes (prefix products, innermost first) at which it is split into atoms.
using Cuts = std::map<std::string, std::set<std::int64_t>>;

/// For each axis the number of its innermost ranks that a fold uses.
using Taken = std::map<std::string, std::int64_t>;

/// Assigns the innermost `size` ranks of the product of `axes`, beyond those in `before`, and records where axes must
/// be split. None if the sizes do not fit.
std::optional<Taken> cut(Cuts& cuts, const Plan& plan, const std::vector<std::string>& axes, std::int64_t size,
                         const Taken& before) {
    std::int64_t left = size;
    Taken taken = before;
    for (const std::string& axis : axes) {
        const auto found = before.find(axis);
        const std::int64_t base = found == before.end() ? 1 : found->second;
        const std::int64_t whole = plan.axis_size(axis) / base;
        if (left == 1) {
            break;
        }
        if (left % whole == 0) {
            left /= whole;
            taken[axis] = base * whole;
        } else if (whole % left == 0) {
            taken[axis] = base * left;
            cuts[axis].insert(base * left);
            left = 1;
        } else {
            break;
        }
    }
    return left == 1 ? std::optional(taken) : std::nullopt;
}

/// Axes of the mesh that states may be sharded over, innermost first.
std::vector<std::string> shardable_axes(const Plan& plan) {
    return mapped_where<std::string>(
        plan.mesh, [&](const MeshAxis& axis) { return contains(plan.strategy.shard_axes, axis.name); },
        &MeshAxis::name);
}

}  // namespace

Mesh::Mesh(const Plan& plan, const Location& where) {
    if (const std::optional<Fault> fault = lay_out(plan)) {
        fail(where, fault->message, fault->help);
    }
}

std::optional<Mesh> Mesh::of(const Plan& plan) {
    std::optional<Mesh> mesh = Mesh();
    if (mesh->lay_out(plan)) {
        mesh.reset();
    }
    return mesh;
}

std::optional<Mesh::Fault> Mesh::fault_of(const Plan& plan) { return Mesh().lay_out(plan); }

std::optional<Mesh::Fault> Mesh::lay_out(const Plan& plan) {
    const auto uneven = [](const std::string& what, std::int64_t size, const std::vector<std::string>& axes) {
        return Fault{fmt::format("{} of {} ranks does not divide the axes {} evenly", what, size, join(axes)),
                     "choose a size that divides their product"};
    };
    shard_group_ = plan.shard_group;
    gather_group_ = plan.gather_group;
    Cuts cuts;
    std::map<std::string, Taken> taken_by;
    for (const Fold& fold : plan.folds) {
        std::int64_t size = fold.size;
        if (size <= 0) {
            size = 1;
            for (const std::string& axis : fold.of) {
                size *= plan.axis_size(axis);
            }
        }
        const Taken before = fold.apart_from ? taken_by[*fold.apart_from] : Taken{};
        std::optional<Taken> taken = cut(cuts, plan, fold.of, size, before);
        if (!taken) {
            return uneven(fmt::format("fold \"{}\"", fold.name), size, fold.of);
        }
        taken_by[fold.name] = *std::move(taken);
    }
    for (const auto& [group, what] :
         {std::pair{shard_group_, "a sharding group"}, std::pair{gather_group_, "a group that gathers weights"}}) {
        const std::vector<std::string> axes = shardable_axes(plan);
        if (group > 0 && !cut(cuts, plan, axes, group, {})) {
            return uneven(what, group, axes);
        }
    }
    for (const MeshAxis& axis : plan.mesh) {
        std::int64_t inner = 1;
        std::set<std::int64_t> ends = cuts[axis.name];
        ends.insert(axis.size);
        for (const std::int64_t end : ends) {
            if (end % inner != 0) {
                return Fault{fmt::format("folds and sharding cut axis \"{}\" at {} and {}, which do not nest",
                                         axis.name, inner, end),
                             "choose sizes of which one divides the other"};
            }
            if (end > inner) {
                check(atoms_.size() < 32, "a mesh has at most 32 atoms");
                axes_[axis.name] |= Atoms{1} << atoms_.size();
                atoms_.push_back({axis.name, end / inner, devices_ * inner});
            }
            inner = end;
        }
        order_.push_back(axis.name);
        devices_ *= axis.size;
    }
    for (const Fold& fold : plan.folds) {
        const Atoms pool = axes(fold.of) & ~(fold.apart_from ? axis(*fold.apart_from) : Atoms{0});
        std::int64_t left = fold.size > 0 ? fold.size : ways(pool);
        Atoms taken = 0;
        for (const std::string& name : fold.of) {
            taken |= take(pool & axis(name), left);
        }
        axes_[fold.name] = taken;
    }
    return std::nullopt;
}

Atoms Mesh::take(Atoms of, std::int64_t& left) const {
    Atoms taken = 0;
    for (Atoms rest = of; rest != 0; rest &= rest - 1) {
        const int i = std::countr_zero(rest);
        const std::int64_t size = atoms_[static_cast<std::size_t>(i)].size;
        if (left % size == 0) {
            taken |= Atoms{1} << i;
            left /= size;
        }
    }
    return taken;
}

Atoms Mesh::axis(const std::string& name) const {
    const auto found = axes_.find(name);
    return found == axes_.end() ? Atoms{0} : found->second;
}

Atoms Mesh::axes(const std::vector<std::string>& names) const {
    Atoms all = 0;
    for (const std::string& name : names) {
        all |= axis(name);
    }
    return all;
}

Atoms Mesh::shard_atoms(Atoms of) const {
    if (shard_group_ <= 0) {
        return of;
    }
    std::int64_t left = shard_group_;
    return take(of, left);
}

Atoms Mesh::gather_atoms(Atoms of) const {
    if (gather_group_ <= 0) {
        return of;
    }
    std::int64_t left = gather_group_;
    return take(of, left);
}

std::int64_t Mesh::ways(Atoms atoms) const {
    std::int64_t product = 1;
    for (Atoms rest = atoms; rest != 0; rest &= rest - 1) {
        product *= atoms_[static_cast<std::size_t>(std::countr_zero(rest))].size;
    }
    return product;
}

cluster::Group Mesh::group(Atoms atoms) const {
    cluster::Group group;
    for (Atoms rest = atoms; rest != 0; rest &= rest - 1) {
        const Atom& atom = atoms_[static_cast<std::size_t>(std::countr_zero(rest))];
        const bool continues =
            !group.strides.empty() && group.strides.back().stride * group.strides.back().size == atom.stride;
        if (continues) {
            group.strides.back().size *= atom.size;
        } else {
            group.strides.push_back({atom.stride, atom.size});
        }
    }
    return group;
}

Atoms Mesh::refined(const Mesh& coarse, Atoms atoms) const {
    Atoms found = 0;
    for (Atoms rest = atoms; rest != 0; rest &= rest - 1) {
        const Atom& whole = coarse.atoms_[static_cast<std::size_t>(std::countr_zero(rest))];
        for (std::size_t i = 0; i < atoms_.size(); ++i) {
            const bool part = atoms_[i].stride >= whole.stride && atoms_[i].stride < whole.stride * whole.size;
            found |= part ? Atoms{1} << i : Atoms{0};
        }
    }
    return found;
}

std::vector<std::string> Mesh::names(Atoms atoms) const {
    return filtered<std::string>(order_, [&](const std::string& name) { return (axis(name) & atoms) != 0; });
}

}  // namespace dodona::plan
