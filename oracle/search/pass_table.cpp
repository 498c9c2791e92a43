#include "search/pass_table.hpp"

#include <utility>

#include "step/placement.hpp"
#include "step/stages.hpp"

namespace dodona::search {

using plan::Atoms;

PassTable::PassTable(step::CostedGraph graph) : costed(std::move(graph)) {
    costed.sharded = {};
    blocks = costed.graph->block_count();
    for (const step::SegmentCost& segment : costed.segments) {
        segments.push_back({step::seconds_of(segment.forward), step::seconds_of(segment.backward),
                            step::seconds_of(segment.selective), step::seconds_of(segment.named),
                            step::seconds_of(step::recomputed(segment, plan::RecomputeKind::full))});
    }
    alike = step::blocks_are_alike(costed);
    same = step::blocks_are_same(costed);
}

Meshes::Meshes(plan::Plan& plan) : cut(plan, {}), whole(cut) {
    if (plan.shard_group > 0) {
        const std::int64_t group = std::exchange(plan.shard_group, 0);
        whole = plan::Mesh(plan, {});
        plan.shard_group = group;
    }
}

step::WeightKind Meshes::refined(step::WeightKind kind) const {
    kind.laid = cut.refined(whole, kind.laid);
    kind.partial = cut.refined(whole, kind.partial);
    return kind;
}

Atoms communication_free_candidates(const plan::Plan& plan, const plan::Mesh& mesh) {
    Atoms atoms = step::data_atoms(mesh, plan.strategy);
    if (plan.strategy.pipeline) {
        atoms |= mesh.axis(*plan.strategy.pipeline);
    }
    return atoms;
}

FeasibilityBound::FeasibilityBound(const plan::ShardedGraph& sharded) {
    if (const plan::Limit* limit = plan::tightest_broken(sharded.limits)) {
        broken = *limit;
        return;
    }
    for (graph::Vertex v = 0; v < sharded.graph->layers.size(); ++v) {
        for (const plan::WeightShard& weight : sharded.layers[v].weights) {
            if (!weight.tied) {
                weights[step::kind_of(weight)] += static_cast<double>(sharded.graph->instances(v)) * weight.size();
            }
        }
    }
}

Bytes FeasibilityBound::least_memory(const plan::Plan& plan, const Meshes& meshes, Bytes context) const {
    Bytes sum;
    for (const auto& [coarse, size] : weights) {
        const step::WeightKind kind = meshes.refined(coarse);
        // Gradients that may stay sparse count as nothing.
        const step::StateBytes bytes =
            step::state_bytes(meshes.cut, plan, kind, size, kind.sparse ? std::optional(0.0) : std::nullopt);
        sum += bytes.weights + (plan.frees_gradients() ? Bytes{} : bytes.gradients) + bytes.optimizer;
    }
    const std::int64_t stages = plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1;
    constexpr double kRounding = 1 - 1e-9;  // sums in another order may be this much smaller
    return kRounding / static_cast<double>(stages) * sum + context;
}

MeshKey PassTables::key_of(const plan::Plan& plan, const plan::Mesh& mesh) const {
    return mesh_key(plan, mesh, communication_free_candidates(plan, mesh) & ~*busy_);
}

plan::SharedShards PassTables::shards(const plan::Plan& plan, const plan::Mesh& mesh) {
    if (shards_ != nullptr) {
        return shards_->of(plan, mesh);
    }
    MeshKey key = mesh_key(plan, mesh, {});
    if (!last_ || last_->key != key) {
        last_.emplace(LastMesh{std::move(key), plan::MeshShards(graph_, mesh)});
    }
    return last_->shards.of(plan.strategy, plan.microbatch);
}

const FeasibilityBound& PassTables::feasibility(const plan::Plan& plan, const plan::Mesh& mesh) {
    plan::SharedShards sharded;
    if (!busy_) {
        const Atoms candidates = communication_free_candidates(plan, mesh);
        sharded = shards(plan, mesh);
        busy_ = step::communicating_atoms(*sharded) & candidates;
        shared_ = *busy_ != candidates;
    }
    MeshKey key = key_of(plan, mesh);
    auto found = feasibility_.find(key);
    if (found == feasibility_.end()) {
        if (!sharded) {
            sharded = shards(plan, mesh);
        }
        found = feasibility_.emplace(std::move(key), FeasibilityBound(*sharded)).first;
    }
    return found->second;
}

const PassTable& PassTables::at(const plan::Plan& plan, const plan::Mesh& mesh) {
    const std::int64_t ranks = mesh.ways(step::data_atoms(mesh, plan.strategy));
    const Key key{key_of(plan, mesh), plan.microbatch, plan.batch > ranks * plan.microbatch};
    std::unique_ptr<PassTable>& table = tables_[key];
    if (!table) {
        table = std::make_unique<PassTable>(step::cost_graph(cluster_, plan, mesh, shards(plan, mesh), times_));
    }
    return *table;
}

const std::vector<StageRun>& PassTables::runs(const PassTable& passes, const plan::Plan& plan) {
    const schedule::Places places = plan.places();
    const bool is_known = !plan.stages.empty() || passes.even(places.positions());
    const CutKey key{places.stages, places.virtual_stages, places.placement, plan.stages, is_known ? nullptr : &passes};
    const auto found = cuts_.find(key);
    if (found != cuts_.end()) {
        return found->second;
    }
    std::vector<StageRun> runs;
    std::vector<step::Stage> all = step::cut_stages(passes.costed, places, plan.stages);
    for (std::size_t s = 0; s < all.size(); ++s) {
        if (!runs.empty() && runs.back().stage == all[s]) {
            ++runs.back().size;
        } else {
            runs.push_back({std::move(all[s]), 0, s, 1});
        }
    }
    return cuts_.emplace(key, std::move(runs)).first->second;
}

Seconds PassTables::total(const step::Pipeline<Seconds>& pipeline) {
    constexpr std::size_t kMaxTotals = 10'000;
    if (pipeline.positions.size() == static_cast<std::size_t>(pipeline.stages)) {
        return step::pipeline_total(pipeline, orders_);  // most of these have closed forms
    }
    std::vector<double> key{static_cast<double>(pipeline.schedule), static_cast<double>(pipeline.stages),
                            static_cast<double>(pipeline.microbatches), pipeline.transfers_overlap ? 1.0 : 0.0};
    key.reserve(key.size() + 5 * pipeline.positions.size());
    for (const step::Position<Seconds>& position : pipeline.positions) {
        for (const Seconds time :
             {position.forward, position.back, position.weight_gradients, position.receive, position.hidden}) {
            key.push_back(time.in(unit::second));
        }
    }
    const auto known = totals_.find(key);
    if (known != totals_.end()) {
        return known->second;
    }
    if (totals_.size() == kMaxTotals) {
        totals_.clear();
    }
    return totals_.emplace(std::move(key), step::pipeline_total(pipeline, orders_)).first->second;
}

void PassTables::next_mesh() {
    if (!shared_) {
        tables_.clear();
        cuts_.clear();
        feasibility_.clear();
    }
}

}  // namespace dodona::search
