#include "search/compute_time_bounds.hpp"

#include <algorithm>

#include "base/ranges.hpp"
#include "plan/operands.hpp"
#include "search/pass_table.hpp"
#include "step/placement.hpp"

namespace dodona::search {

namespace {

bool same_folds(const std::vector<plan::Fold>& a, const std::vector<plan::Fold>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const plan::Fold& x, const plan::Fold& y) { return x.name == y.name && x.size == y.size; });
}

}  // namespace

ComputeTimeBounds::Sizes ComputeTimeBounds::sizes(const plan::Plan& plan, const plan::Mesh& mesh,
                                                  const std::vector<bool>& free) {
    Sizes sizes;
    for (std::size_t i = 0; i < plan.strategy.axes.size(); ++i) {
        const std::int64_t ways = mesh.ways(mesh.axis(plan.strategy.axes[i]));
        sizes.push_back(free[i] ? std::min<std::int64_t>(ways, 2) : ways);
    }
    append(sizes, plan.strategy.folds, [&](const plan::FoldedAxis& fold) { return mesh.ways(mesh.axis(fold.name)); });
    return sizes;
}

ComputeTimeBounds::Least ComputeTimeBounds::of(const plan::Plan& plan, const plan::Mesh& mesh) {
    const std::scoped_lock lock(mutex_);
    OfStrategy& strategy = strategies_[plan.strategy.name];
    const auto shards = [&]() -> const plan::ShardedGraph& {
        if (!last_ || last_->strategy != plan.strategy.name || last_->mesh != plan.mesh ||
            !same_folds(last_->folds, plan.folds)) {
            last_ = Last{plan.strategy.name, plan.mesh, plan.folds, shards_of(graph_, plan, mesh, shards_)};
        }
        return *last_->sharded;
    };
    const plan::Atoms candidates = communication_free_candidates(plan, mesh);
    auto free =
        mapped<bool>(plan.strategy.axes, [&](const std::string& axis) { return (mesh.axis(axis) & ~candidates) == 0; });
    std::vector<bool>& busy = strategy.busy[sizes(plan, mesh, free)];
    if (busy.empty()) {
        const plan::Atoms atoms = step::communicating_atoms(shards());
        append(busy, plan.strategy.axes, [&](const std::string& axis) { return (mesh.axis(axis) & atoms) != 0; });
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
        free[i] = free[i] && !busy[i];
    }
    const auto [known, is_new] = strategy.known.try_emplace(sizes(plan, mesh, free));
    if (is_new) {
        const plan::Limit* const broken = plan::tightest_broken(shards().limits);
        known->second.broken = broken != nullptr ? std::make_shared<const plan::Limit>(*broken) : nullptr;
    }
    if (known->second.broken) {
        return {{}, known->second.broken};
    }
    const bool accumulates = plan.batch > mesh.ways(step::data_atoms(mesh, plan.strategy)) * plan.microbatch;
    const auto [least, unknown] = known->second.least.try_emplace({plan.microbatch, accumulates});
    if (unknown) {
        least->second = sum(shards(), plan, mesh, accumulates);
    }
    return {least->second, {}};
}

/// Loops are laid alike whatever the micro-batch.
Seconds ComputeTimeBounds::sum(const plan::ShardedGraph& sharded, const plan::Plan& plan, const plan::Mesh& mesh,
                               bool accumulates) {
    const auto batch = static_cast<double>(plan.microbatch) * static_cast<double>(sharded.data_ways);
    graph::LocalExtents local;
    Seconds sum;
    for (graph::Vertex v = 0; v < graph_.layers.size(); ++v) {
        const plan::ShardedLayer& layer = sharded.layers[v];
        local = layer.local;
        local.loops[graph::kBatch] = plan::local_samples(graph_.layer(v).nest, mesh, layer.loops, batch);
        const step::LayerCost& cost = times_.of(v, local, {.adds_gradients = accumulates});
        sum += static_cast<double>(graph_.instances(v)) * (cost.forward.compute.value + cost.backward.compute.value);
    }
    return sum;
}

}  // namespace dodona::search
