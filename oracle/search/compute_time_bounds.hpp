// Lower bounds of passes, shared by the meshes and numbers of devices of one question.
//
// A pass forward and backward takes at least what the kernels of its layers take. They depend on the sizes of axes, not
// on where the axes lie, and not on the size of an axis that is communication-free (pass_table.hpp). Domain: as there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plan/shard.hpp"
#include "search/known_shards.hpp"
#include "step/layer_times.hpp"

namespace dodona::search {

/// May be asked by several threads.
class ComputeTimeBounds {
public:
    /// `shards`: kept for the searches of one question; null: each is asked for about once.
    ComputeTimeBounds(const graph::Graph& graph, step::LayerTimes& times, KnownShards* shards)
        : graph_(graph), times_(times), shards_(shards) {}

    struct Least {
        Seconds pass;                               ///< of one micro-batch, all layers on one stage
        std::shared_ptr<const plan::Limit> broken;  ///< why the network cannot be sharded like that; null: it can
    };
    /// `mesh`: of the plan, without what a sharding group adds.
    Least of(const plan::Plan& plan, const plan::Mesh& mesh);
    [[nodiscard]] step::LayerTimes& times() { return times_; }
    [[nodiscard]] KnownShards* shards() { return shards_; }

private:
    using Sizes = std::vector<std::int64_t>;
    struct Known {
        std::shared_ptr<const plan::Limit> broken;
        std::map<std::pair<std::int64_t, bool>, Seconds> least;  ///< by micro-batch, and whether a step has several
    };
    struct OfStrategy {
        std::map<Sizes, std::vector<bool>> busy;  ///< by axis: whether collectives of a pass run over it
        std::map<Sizes, Known> known;
    };

    /// Sizes of axes and folds; of those that are `free` only whether they split.
    [[nodiscard]] static Sizes sizes(const plan::Plan& plan, const plan::Mesh& mesh, const std::vector<bool>& free);
    [[nodiscard]] Seconds sum(const plan::ShardedGraph& sharded, const plan::Plan& plan, const plan::Mesh& mesh,
                              bool accumulates);

    const graph::Graph& graph_;
    step::LayerTimes& times_;
    KnownShards* shards_;
    std::mutex mutex_;
    std::map<std::string, OfStrategy> strategies_;
    /// The mesh asked about last: its other micro-batches are asked about next.
    struct Last {
        std::string strategy;
        std::vector<plan::MeshAxis> mesh;
        std::vector<plan::Fold> folds;
        plan::SharedShards sharded;
    };
    std::optional<Last> last_;
};

}  // namespace dodona::search
