// What meshes have in common that share tables.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/mesh.hpp"

namespace dodona::search {

/// Identifies a mesh for plans of one strategy: size and stride of the atoms outside `free`, only presence of those in
/// it.
using MeshKey = std::vector<std::int64_t>;
MeshKey mesh_key(const plan::Plan& plan, const plan::Mesh& mesh, plan::Atoms free);

}  // namespace dodona::search
