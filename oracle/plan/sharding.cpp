#include "plan/sharding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "cluster/volume.hpp"

namespace dodona::plan {

using cluster::Collective;

Atoms Sharding::sharded() const {
    Atoms all = 0;
    for (const Atoms atoms : dimensions) {
        all |= atoms;
    }
    return all;
}

int Sharding::dimension_of(Atoms atom) const {
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        if ((dimensions[i] & atom) != 0) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

double Division::local(std::int64_t ways) const {
    const double units = extent / granule;
    const double share = std::ceil(units / static_cast<double>(ways) - 1e-12);
    const double most = fullest.empty() ? std::min(imbalance, static_cast<double>(ways))
                                        : fullest[std::min(fullest.size(), static_cast<std::size_t>(ways)) - 1];
    return std::max(1.0, share) * granule * density * most;
}

double local_elements(const Mesh& mesh, std::span<const Division> divisions, const Sharding& sharding) {
    check(divisions.size() == sharding.dimensions.size(), "a sharding has one entry per dimension");
    double elements = 1;
    for (std::size_t i = 0; i < divisions.size(); ++i) {
        elements *= divisions[i].local(mesh.ways(sharding.dimensions[i]));
    }
    return elements;
}

namespace {

/// Steps of a conversion in the order in which they run; slices, which send nothing, come first.
enum class Step { slice, reduce_scatter, all_to_all, all_reduce, all_gather };
constexpr std::size_t kSteps = 5;

struct Change {
    Step step;
    int from;  ///< dimension, or -1
    int to;
};

/// The step that converts one atom; none if it needs none.
bool change_of(const Sharding& from, const Sharding& to, Atoms atom, Via via, Change& change) {
    const int before = from.dimension_of(atom);
    const int after = to.dimension_of(atom);
    if ((from.partial & atom) != 0) {
        if ((to.partial & atom) != 0) {
            return false;
        }
        const bool scatter = after >= 0 && via == Via::reduce_scatter;
        change = {scatter ? Step::reduce_scatter : Step::all_reduce, -1, after};
        return true;
    }
    check((to.partial & atom) == 0, "a conversion cannot make a partial sum");
    if (before == after) {
        return false;
    }
    change = {before < 0 ? Step::slice : (after < 0 ? Step::all_gather : Step::all_to_all), before, after};
    return true;
}

constexpr Collective collective_of(Step step) {
    switch (step) {
        case Step::reduce_scatter: return Collective::reduce_scatter;
        case Step::all_to_all: return Collective::all_to_all;
        case Step::all_reduce: return Collective::all_reduce;
        default: return Collective::all_gather;
    }
}

/// Of the dimension of experts that tokens are exchanged to or from; none if there is none.
graph::Routing routing_of(std::span<const Division> divisions, const std::vector<std::pair<Atoms, Change>>& changes) {
    for (const auto& [atom, change] : changes) {
        for (const int dimension : {change.from, change.to}) {
            const graph::Routing& found = divisions[static_cast<std::size_t>(dimension)].routing;
            if (found.experts > 0) {
                return found;
            }
        }
    }
    return {};
}

bool goes_to_experts(std::span<const Division> divisions, const std::vector<std::pair<Atoms, Change>>& changes) {
    return std::any_of(changes.begin(), changes.end(), [&](const auto& made) {
        return divisions[static_cast<std::size_t>(made.second.to)].routing.experts > 0;
    });
}

void apply(Sharding& sharding, Atoms atom, const Change& change) {
    sharding.partial &= ~atom;
    if (change.from >= 0) {
        sharding.dimensions[static_cast<std::size_t>(change.from)] &= ~atom;
    }
    if (change.to >= 0) {
        sharding.dimensions[static_cast<std::size_t>(change.to)] |= atom;
    }
}

}  // namespace

std::vector<Transfer> convert(const Mesh& mesh, std::span<const Division> divisions, const Sharding& from,
                              const Sharding& to, Via via) {
    std::vector<Transfer> transfers;
    if (from == to) {
        return transfers;
    }
    std::array<Atoms, kSteps> atoms_of{};
    std::array<std::vector<std::pair<Atoms, Change>>, kSteps> changes;
    const Atoms touched = from.sharded() | from.partial | to.sharded();
    for (Atoms rest = touched; rest != 0; rest &= rest - 1) {
        const Atoms atom = Atoms{1} << std::countr_zero(rest);
        Change change{};
        if (change_of(from, to, atom, via, change)) {
            const auto index = static_cast<std::size_t>(change.step);
            atoms_of[index] |= atom;
            changes[index].emplace_back(atom, change);
        }
    }
    Sharding now = from;
    for (std::size_t index = 0; index < kSteps; ++index) {
        if (atoms_of[index] == 0) {
            continue;
        }
        const double before = local_elements(mesh, divisions, now);
        for (const auto& [atom, change] : changes[index]) {
            apply(now, atom, change);
        }
        const auto step = static_cast<Step>(index);
        if (step == Step::slice) {
            continue;
        }
        // The rank that sends or receives most sets the size of an all-to-all.
        const double after = local_elements(mesh, divisions, now);
        const double size = step == Step::all_gather   ? after
                            : step == Step::all_to_all ? std::max(before, after)
                                                       : before;
        transfers.push_back({.collective = collective_of(step), .atoms = atoms_of[index], .elements = size});
        if (step == Step::all_to_all) {
            transfers.back().routing = routing_of(divisions, changes[index]);
            transfers.back().to_experts = goes_to_experts(divisions, changes[index]);
        }
    }
    return transfers;
}

double sent_elements(const Mesh& mesh, std::span<const Transfer> transfers) {
    return sum_of<double>(transfers, [&](const Transfer& transfer) {
        return cluster::sent_share(transfer.collective, mesh.ways(transfer.atoms)) * transfer.elements;
    });
}

}  // namespace dodona::plan
