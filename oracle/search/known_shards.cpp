#include "search/known_shards.hpp"

#include <utility>

namespace dodona::search {

plan::SharedShards KnownShards::of(const plan::Plan& plan, const plan::Mesh& mesh) {
    Key key(plan.strategy.name, mesh_key(plan, mesh, {}), plan.microbatch);
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) {
        return found->second;
    }
    if ((known_.size() + 1) * graph_.layers.size() > kMostLayers) {
        known_.clear();
    }
    auto sharded =
        std::make_shared<const plan::ShardedGraph>(plan::shard(graph_, mesh, plan.strategy, plan.microbatch));
    return known_.emplace(std::move(key), std::move(sharded)).first->second;
}

}  // namespace dodona::search
