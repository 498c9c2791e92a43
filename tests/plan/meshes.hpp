// Meshes written in code, for tests of what is laid on them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/mesh.hpp"

namespace dodona::plan::test {

/// A plan with nothing but a mesh, innermost axis first.
inline Plan plan_on(std::vector<MeshAxis> axes) {
    Plan plan;
    plan.mesh = std::move(axes);
    return plan;
}

inline Mesh mesh_of(std::vector<MeshAxis> axes) { return {plan_on(std::move(axes)), Location{}}; }

/// What is wrong with a plan's mesh; empty if nothing is.
inline std::string fault_of(const Plan& plan) {
    try {
        const Mesh mesh(plan, Location{});
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "";
}

}  // namespace dodona::plan::test
