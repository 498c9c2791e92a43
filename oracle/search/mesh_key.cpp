#include "search/mesh_key.hpp"

#include <bit>

#include "base/ranges.hpp"

namespace dodona::search {

using plan::Atoms;

MeshKey mesh_key(const plan::Plan& plan, const plan::Mesh& mesh, Atoms free) {
    MeshKey key;
    append(key, plan.strategy.axes, [&](const std::string& axis) { return mesh.axis(axis); });
    append(key, plan.strategy.folds, [&](const plan::FoldedAxis& fold) { return mesh.axis(fold.name); });
    for (Atoms rest = mesh.all(); rest != 0; rest &= rest - 1) {
        const Atoms atom = rest & (~rest + 1);
        if ((atom & free) == 0) {
            const cluster::Group::Stride stride = mesh.group(atom).strides.front();
            key.push_back(std::countr_zero(atom));
            key.push_back(stride.size);
            key.push_back(stride.stride);
        }
    }
    return key;
}

}  // namespace dodona::search
