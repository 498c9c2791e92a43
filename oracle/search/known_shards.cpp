#include "search/known_shards.hpp"

#include <utility>

namespace dodona::search {

namespace {

plan::SharedShards sharded(const graph::Graph& graph, const plan::Plan& plan, const plan::Mesh& mesh) {
    return std::make_shared<const plan::ShardedGraph>(plan::shard(graph, mesh, plan.strategy, plan.microbatch));
}

}  // namespace

plan::SharedShards shards_of(const graph::Graph& graph, const plan::Plan& plan, const plan::Mesh& mesh,
                             KnownShards* kept) {
    return kept != nullptr ? kept->of(plan, mesh) : sharded(graph, plan, mesh);
}

plan::SharedShards KnownShards::of(const plan::Plan& plan, const plan::Mesh& mesh) {
    Key key(plan.strategy.name, mesh_key(plan, mesh, {}), plan.microbatch);
    {
        const std::scoped_lock lock(mutex_);
        const auto found = known_.find(key);
        if (found != known_.end()) {
            return found->second;
        }
    }
    plan::SharedShards made = sharded(graph_, plan, mesh);
    const std::scoped_lock lock(mutex_);
    if ((known_.size() + 1) * graph_.layers.size() > kMaxLayers) {
        known_.clear();
    }
    return known_.emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace dodona::search
