#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "base/check.hpp"
#include "plan/axis_limit.hpp"
#include "step/bottlenecks.hpp"

namespace dodona::step {

namespace {

/// Atoms over which an internal tensor of a layer is sharded; `slot`: from 1.
plan::Atoms internal_atoms(const graph::Layer& layer, const plan::ShardedLayer& sharded, int slot) {
    int seen = 0;
    for (const graph::Saved& saved : layer.nest.saved) {
        if (!layer.keeps(saved) || saved.what != graph::Saved::What::internal || ++seen != slot) {
            continue;
        }
        plan::Atoms atoms = 0;
        for (const int loop : saved.loops) {
            atoms |= sharded.loops[static_cast<std::size_t>(loop)];
        }
        return atoms;
    }
    throw InternalError("an internal tensor that no layer keeps");
}

plan::Atoms atoms_of(const CostedGraph& costed, graph::Vertex v, const plan::SavedTensor& saved) {
    if (saved.slot > 0) {
        return internal_atoms(costed.graph->layer(v), costed.sharded->layers[v], saved.slot);
    }
    return saved.sharding.sharded();
}

/// The limit that the plan breaks with one axis doubled; none if it breaks none.
std::optional<plan::Limit> broken_by_doubling(const graph::Graph& graph, plan::Plan plan, const std::string& axis) {
    const auto found = std::find_if(plan.mesh.begin(), plan.mesh.end(),
                                    [&](const plan::MeshAxis& other) { return other.name == axis; });
    if (found == plan.mesh.end()) {
        plan.mesh.push_back({axis, 2});
    } else {
        found->size *= 2;
    }
    const std::vector<plan::Limit> limits = plan::limits_on(graph, plan, plan.batch);
    const plan::Limit* broken = plan::tightest_broken(limits);
    if (broken == nullptr) {
        return std::nullopt;
    }
    return std::holds_alternative<plan::FoldLimit>(broken->cause) ? plan::Limit{plan::FoldLimit{.doubled = axis}}
                                                                  : *broken;
}

}  // namespace

double kept_elsewhere(const CostedGraph& costed, const plan::Plan& plan) {
    const plan::Atoms stages = plan.strategy.pipeline ? costed.mesh.axis(*plan.strategy.pipeline) : plan::Atoms{0};
    const auto ranks = static_cast<double>(costed.mesh.ways(costed.mesh.all() & ~stages));
    std::set<std::tuple<graph::Vertex, int, plan::Sharding>> known;
    Bytes kept;
    Bytes copies;
    for (graph::Vertex v = 0; v < costed.graph->layers.size(); ++v) {
        for (const plan::SavedTensor& saved : costed.sharded->layers[v].saved) {
            if (!known.insert({saved.tensor, saved.slot, saved.sharding}).second) {
                continue;
            }
            const auto ways = static_cast<double>(costed.mesh.ways(atoms_of(costed, v, saved) & ~stages));
            const Bytes size = static_cast<double>(costed.graph->instances(v)) * saved.elements *
                               element_bytes(saved.element, costed.precision);
            kept += size;
            copies += (1.0 - ways / ranks) * size;
        }
    }
    return kept > Bytes{} ? copies / kept : 0.0;
}

ScalingHeadroom scaling_headroom(const graph::Graph& graph, const plan::Plan& plan) {
    const std::vector<plan::Limit> now = plan::limits_on(graph, plan, plan.batch);
    if (const plan::Limit* broken = plan::tightest_broken(now)) {
        const std::optional<std::int64_t> pieces = broken->pieces();
        return {pieces ? static_cast<double>(broken->ways) / static_cast<double>(*pieces) : 2.0, {*broken}};
    }
    ScalingHeadroom headroom{.taken = 1, .stopped_by = {}};
    for (const std::string& axis : plan.strategy.axes) {
        const std::optional<plan::Limit> broken = broken_by_doubling(graph, plan, axis);
        if (!broken) {
            return {};
        }
        if (const std::optional<std::int64_t> pieces = broken->pieces()) {
            const auto ways = static_cast<double>(broken->ways) / 2;
            headroom.taken = std::min(headroom.taken, ways / static_cast<double>(*pieces));
        }
        if (plan.axis_size(axis) > 1) {
            headroom.stopped_by.push_back(*broken);
        }
    }
    return headroom;
}

}  // namespace dodona::step
