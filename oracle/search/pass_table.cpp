#include "search/pass_table.hpp"

#include <bit>

#include "schedule/placement.hpp"
#include "schedule/stages.hpp"

namespace dodona::search {

using plan::Atoms;

PassTable::PassTable(schedule::CostedGraph graph) : costed(std::move(graph)) {
    if (const plan::Limit* limit = plan::tightest_broken(costed.sharded.limits)) {
        broken = *limit;
    }
    costed.sharded = {};
    for (const graph::Unit& unit : costed.graph->units) {
        blocks += unit.block.empty() ? 0 : unit.count;
    }
    for (const schedule::UnitCost& unit : costed.units) {
        units.push_back({schedule::seconds_of(unit.forward), schedule::seconds_of(unit.backward),
                         schedule::seconds_of(unit.selective), unit.block});
    }
    alike = schedule::blocks_are_alike(costed);
}

MeshKey mesh_key(const plan::Plan& plan, const plan::Mesh& mesh, Atoms quiet) {
    MeshKey key;
    for (const plan::MeshAxis& axis : plan.mesh) {
        key.push_back(mesh.axis(axis.name));
    }
    for (const plan::Fold& fold : plan.folds) {
        key.push_back(mesh.axis(fold.name));
    }
    key.push_back(mesh.shard_atoms(mesh.all()));
    for (Atoms rest = mesh.all(); rest != 0; rest &= rest - 1) {
        const Atoms atom = rest & (~rest + 1);
        if ((atom & quiet) == 0) {
            const cluster::Group::Stride stride = mesh.group(atom).strides.front();
            key.push_back(std::countr_zero(atom));
            key.push_back(stride.size);
            key.push_back(stride.stride);
        }
    }
    return key;
}

Atoms quiet_candidates(const plan::Plan& plan, const plan::Mesh& mesh) {
    Atoms atoms = schedule::data_atoms(mesh, plan.strategy);
    if (plan.strategy.pipeline) {
        atoms |= mesh.axis(*plan.strategy.pipeline);
    }
    return atoms;
}

const PassTable& PassTables::at(const plan::Plan& plan, const plan::Mesh& mesh) {
    const Atoms candidates = quiet_candidates(plan, mesh);
    const auto costed = [&] { return schedule::cost_graph(graph_, cluster_, plan, {}); };
    std::optional<schedule::CostedGraph> first;
    if (!busy_) {
        first = costed();
        busy_ = schedule::busy_atoms(first->sharded) & candidates;
        shared_ = *busy_ != candidates;
    }
    const std::int64_t ranks = mesh.ways(schedule::data_atoms(mesh, plan.strategy));
    Key key{mesh_key(plan, mesh, candidates & ~*busy_), plan.microbatch, plan.batch > ranks * plan.microbatch};
    std::unique_ptr<PassTable>& table = tables_[std::move(key)];
    if (!table) {
        table = std::make_unique<PassTable>(first ? std::move(*first) : costed());
    }
    return *table;
}

void PassTables::next_mesh() {
    if (!shared_) {
        tables_.clear();
    }
}

}  // namespace dodona::search
