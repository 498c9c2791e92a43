#include "search/mesh_key.hpp"

#include <bit>

namespace dodona::search {

using plan::Atoms;

MeshKey mesh_key(const plan::Plan& plan, const plan::Mesh& mesh, Atoms free) {
    MeshKey key;
    for (const std::string& axis : plan.strategy.axes) {
        key.push_back(mesh.axis(axis));
    }
    for (const plan::FoldedAxis& fold : plan.strategy.folds) {
        key.push_back(mesh.axis(fold.name));
    }
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
