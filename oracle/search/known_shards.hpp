// Shards of one network, kept for the searches of one question: they are the same on all machines and under all
// software.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "plan/shard.hpp"
#include "search/mesh_key.hpp"

namespace dodona::search {

/// May be asked by several threads. Strategies of one name are the same.
class KnownShards {
public:
    /// The network must outlive the object.
    explicit KnownShards(const graph::Graph& graph) : graph_(graph) {}

    /// `mesh`: of the plan, with or without what a sharding group adds.
    plan::SharedShards of(const plan::Plan& plan, const plan::Mesh& mesh);

private:
    using Key = std::tuple<std::string, MeshKey, std::int64_t>;  ///< strategy, mesh, micro-batch

    /// Layers of all graphs that are kept, some kB each; beyond, all are dropped.
    static constexpr std::size_t kMaxLayers = 100'000;

    const graph::Graph& graph_;
    std::mutex mutex_;
    std::map<Key, plan::SharedShards> known_;
};

/// Of those that are kept, or without `kept` made anew.
plan::SharedShards shards_of(const graph::Graph& graph, const plan::Plan& plan, const plan::Mesh& mesh,
                             KnownShards* kept);

}  // namespace dodona::search
